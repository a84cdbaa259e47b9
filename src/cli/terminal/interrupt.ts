/** Lets a command end in an orderly way when it is interrupted. */
import { CommandError } from './errors.ts';

export interface Interrupt extends Disposable {
  signal: AbortSignal;
}

/** The first SIGINT (Ctrl-C) or SIGTERM aborts the signal with the message. A second one terminates the process. */
export function listenForInterrupt(message: string): Interrupt {
  const controller = new AbortController();
  const onSignal = () => {
    controller.abort(new CommandError(message));
    stopListening();
  };
  const stopListening = () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { signal: controller.signal, [Symbol.dispose]: stopListening };
}
