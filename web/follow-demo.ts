/** While the server draws the demo: says how much is drawn, and shows the pictures. */
import { showNew } from './current-view.ts';
import { demoLine } from './demo.ts';
import { announce } from './messages.ts';

const INTERVAL_MS = 1000;

export async function followDemo(): Promise<void> {
  const line = demoLine();
  while (line?.isConnected) {
    // A server that does not answer was stopped, and goes on when it is started again.
    const text = await fetchText('/gallery/demo').catch(() => line.textContent);
    if (text !== line.textContent) {
      line.textContent = text;
      if (!text) line.remove();
      await showNew().catch(() => {});
      if (!text) announce('The demo is complete.');
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(response.statusText);
  return response.text();
}
