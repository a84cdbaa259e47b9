/** Makes the reference interactive. Without this script it is complete, but nothing can be tried on it. */
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
initToken();
initTester();
