/**
 * Makes the reference interactive. Without this script it is complete, but nothing can be tried on it, and the examples call
 * PUBLIC_URL or this machine.
 */
import { copyFrom } from './copy.ts';
import { initTester } from './tester.ts';
import { initToken } from './token.ts';
import { toggleForm } from './trying.ts';

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element && target.closest<HTMLButtonElement>('button[data-action]');
  if (!button) return;
  if (button.dataset.action === 'copy') void copyFrom(button);
  else toggleForm(button);
});
/** The stylesheet shows them on wide screens anyway. Now assistive technology knows, too. */
const contents = document.querySelector<HTMLDetailsElement>('.contents');
const wide = matchMedia('(min-width: 64rem)');
const openContents = () => {
  if (contents) contents.open = wide.matches;
};
wide.addEventListener('change', openContents);
openContents();
/** The page is the same for everyone. */
for (const element of document.querySelectorAll('.origin')) element.textContent = location.origin;
initToken();
initTester();
