/** The token for the calls of this page. It exists only in its field, so it is gone with the page. */
import { byId } from '../dom.ts';

const field = byId<HTMLInputElement>('token-field');
const forget = byId<HTMLButtonElement>('forget-token');

export function initToken(): void {
  const update = () => {
    forget.disabled = field.value === '';
  };
  field.addEventListener('input', update);
  forget.addEventListener('click', () => {
    field.value = '';
    update();
    field.focus();
  });
  // A page from the browser's cache would show the token to anyone who goes back to it.
  addEventListener('pagehide', () => {
    field.value = '';
  });
  addEventListener('pageshow', update);
}

/** Empty if there is none. Throws what is wrong with it: other characters cannot be sent in a header. */
export function readToken(): string {
  const token = field.value.trim();
  if (!/^[\x21-\x7e]*$/.test(token)) throw new Error('A token has only letters and digits. Check the token.');
  return token;
}
