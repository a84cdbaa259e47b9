/**
 * Makes the reference interactive. Without this script it is complete, but nothing can be tried on it, and the examples call
 * PUBLIC_URL or this machine.
 */
import { copyFrom, initLanguages } from './code-blocks.ts';
import { initContents } from './contents.ts';
import { initTester } from './tester.ts';
import { initToken } from './token.ts';
import { toggleForm } from './trying.ts';

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element && target.closest<HTMLButtonElement>('button[data-action]');
  if (!button) return;
  if (button.dataset.action === 'copy') void copyFrom(button);
  else toggleForm(button);
});
/** The page is the same for everyone. */
for (const element of document.querySelectorAll('.origin')) element.textContent = location.origin;
initLanguages();
initContents();
initToken();
initTester();
