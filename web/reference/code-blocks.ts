/** Blocks of code: their colours, the language that the reader chose, and copying. */
import { byId, copyText, el } from '../dom.ts';
import { readSetting, saveSetting } from '../storage.ts';
import { type Request, samplesOf, tokenize } from './code.ts';

const SHOWN_MS = 2000;
const SETTING = 'code';

/** A choice is for the whole page, and for the next visit. */
export function initLanguages(): void {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.closest('.tabs')) return;
    saveSetting(SETTING, target.value);
    // What was clicked stays where it is, though the code above it gets longer or shorter.
    const { top } = target.getBoundingClientRect();
    chooseLanguage(target.value);
    scrollBy(0, target.getBoundingClientRect().top - top);
  });
  const saved = readSetting(SETTING);
  if (saved !== undefined) chooseLanguage(saved);
}

/** Examples without code in this language stay as they are. */
function chooseLanguage(value: string): void {
  for (const tab of document.querySelectorAll<HTMLInputElement>('.tabs input'))
    if (tab.value === value) tab.checked = true;
}

/** The examples of the operation become those of the call. They never contain the token. */
export function showSamples(section: HTMLElement, request: Request): void {
  for (const [language, code] of Object.entries(samplesOf(request, location.origin)))
    section.querySelector(`[data-code="${language}"] code`)?.replaceChildren(...colour(code));
}

/** Code with its colours. */
export function colour(code: string): (Node | string)[] {
  return tokenize(code).map(([text, kind]) => (kind ? el('span', { class: kind }, text) : text));
}

export async function copyFrom(button: HTMLButtonElement): Promise<void> {
  const blocks = button.closest('.example')?.querySelectorAll('pre') ?? [];
  const code = [...blocks].find((block) => block.checkVisibility());
  if (!code) return;
  const isCopied = await copyText(code.textContent, button);
  if (!isCopied) getSelection()?.selectAllChildren(code);
  const label = isCopied ? 'Copied' : 'Press Ctrl+C';
  button.textContent = label;
  announce(isCopied ? 'Copied.' : 'The text is selected. Copy it with your keyboard.');
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SHOWN_MS);
}

/** Read out by screen readers, invisible on the page. */
export function announce(text: string): void {
  byId('status').textContent = text;
}
