/** Copies the text of a code block. */
import { el } from '../dom.ts';
import { announce } from './status.ts';

const SHOWN_MS = 2000;

export async function copyFrom(button: HTMLButtonElement): Promise<void> {
  const code = button.closest('.example')?.querySelector('pre');
  if (!code) return;
  const isCopied = await copyText(code.textContent);
  if (!isCopied) getSelection()?.selectAllChildren(code);
  const label = isCopied ? 'Copied' : 'Press Ctrl+C';
  button.textContent = label;
  announce(isCopied ? 'Copied.' : 'The text is selected. Copy it with your keyboard.');
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SHOWN_MS);
}

/** Browsers offer the clipboard on secure origins only. The older way works on all of them. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = el('textarea', { class: 'visually-hidden', readonly: true });
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
