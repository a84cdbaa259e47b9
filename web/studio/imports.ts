/** The last imports: what each changed, its pictures, and a way to undo it. */
import type { Change } from '../../src/studio/contract.ts';
import { el } from '../dom.ts';
import { changeRow, rowButton } from './change-row.ts';

const FIRST_SHOWN = 5;

/** The first ones of a section, and a button for the others. */
export function importList(imports: Change[], showPictures: (change: Change) => void): HTMLElement {
  if (imports.length === 0) return el('p', { class: 'quiet' }, 'No import is recorded.');
  const row = (change: Change) => {
    const show = () => showPictures(change);
    const hasPictures = change.added + change.changed > 0;
    return changeRow(change, { actions: hasPictures ? [rowButton(change, 'Show pictures', show)] : [] });
  };
  const list = el('ul', { class: 'changes' }, ...imports.slice(0, FIRST_SHOWN).map(row));
  if (imports.length <= FIRST_SHOWN) return list;
  const showAll = () => {
    const more = imports.slice(FIRST_SHOWN).map(row);
    list.append(...more);
    button.remove();
    more[0]?.querySelector('summary')?.focus();
  };
  const button = el(
    'button',
    { type: 'button', class: 'button small', click: showAll },
    `Show all ${imports.length}`,
  );
  return el('div', {}, list, button);
}
