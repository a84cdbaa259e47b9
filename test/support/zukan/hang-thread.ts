import { Session } from 'node:inspector/promises';

/** Makes one thread of this process run a loop that never ends. */
export async function hangThread(): Promise<void> {
  const session = new Session();
  session.connect();
  session.once('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    const message = { id: 1, method: 'Runtime.evaluate', params: { expression: 'for (;;);' } };
    void session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify(message) });
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
}
