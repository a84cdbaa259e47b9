/** A change in a list: who made it and when, what was before and after once it is opened, and a way to undo it. */
import type { Change, DescribedItem } from '../../src/studio/contract.ts';
import { el } from '../dom.ts';
import { get } from './api.ts';
import { describeOrigin, describeTime } from './change.ts';
import { explain } from './notices.ts';
import { pictureAddress } from './picture-address.ts';
import { capitalise, formatNumber } from './text.ts';
import { askUndo } from './undo-dialog.ts';

interface RowOptions {
  /** Shows only what happened to this picture. */
  image?: string;
  isOpen?: boolean;
  /** Before the button that undoes it. */
  actions?: HTMLElement[];
}

const states = { done: '', undone: 'Undone', forgotten: 'Can’t be undone', final: 'Can’t be undone' };
const fieldNames: Record<string, string> = {
  edited: 'changed by hand',
  createdAt: 'added',
  takenAt: 'taken or published',
  fileName: 'file name',
};
const PREVIEW_SIZE = 128;
const MAX_HASH_LENGTH = 12;
const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

export function changeRow(
  change: Change,
  { image, isOpen = false, actions = [] }: RowOptions = {},
): HTMLElement {
  const { number, at, summary, state } = change;
  const content = el('div', { class: 'items' });
  const details = el(
    'details',
    { open: isOpen },
    el(
      'summary',
      {},
      el('span', {}, capitalise(summary)),
      el(
        'span',
        { class: 'quiet' },
        `#${number} · `,
        el('time', { datetime: at }, describeTime(at)),
        ` · ${describeOrigin(change)}`,
      ),
    ),
    content,
  );
  // It is also called for those that are open from the start.
  details.addEventListener('toggle', () => {
    if (details.open && content.childElementCount === 0) void showItems(content, change, image);
  });
  return el(
    'li',
    { 'data-number': number },
    details,
    el(
      'div',
      { class: 'actions' },
      ...(states[state] ? [el('span', { class: 'quiet' }, states[state])] : []),
      ...actions,
      ...(state === 'done' ? [rowButton(change, 'Undo…', () => void askUndo(change))] : []),
    ),
  );
}

export function rowButton({ number, summary }: Change, label: string, press: () => void): HTMLElement {
  return el(
    'button',
    {
      type: 'button',
      class: 'button small',
      'aria-label': `${label} Change ${number}: ${summary}`,
      click: press,
    },
    label,
  );
}

async function showItems(content: HTMLElement, change: Change, image: string | undefined): Promise<void> {
  try {
    const items = await get('/data/change', { number: String(change.number), ...(image && { image }) });
    const more = image === undefined ? change.items - items.length : 0;
    content.replaceChildren(
      ...(items.length === 0 ? [el('p', { class: 'quiet' }, describeEmpty(change, image))] : []),
      ...items.map((item) => describeItem(item, image !== undefined)),
      ...(more > 0 ? [el('p', { class: 'quiet' }, `and ${formatNumber(more)} more`)] : []),
    );
  } catch (error) {
    explain(error);
  }
}

/** Pictures that an import adds have no former fields. */
function describeEmpty({ state, added }: Change, image: string | undefined): string {
  if (state === 'forgotten') return 'It changed too much to be remembered.';
  if (added === 0) return 'Nothing else is recorded.';
  return image === undefined ? 'It only added pictures.' : 'It added the picture.';
}

function describeItem(item: DescribedItem, isAlone: boolean): HTMLElement {
  const { kind, id, undoneBy } = item;
  const title = titleOf(item, isAlone) + (undoneBy === null ? '' : ` (undone by #${undoneBy})`);
  const fields = fieldsOf(item);
  return el(
    'section',
    {},
    ...(kind === 'image' && !isAlone ? [preview(id)] : []),
    ...(title ? [el('p', {}, title)] : []),
    ...(fields.length > 0 ? [el('dl', {}, ...fields)] : []),
  );
}

/** None for a picture that is known and whose fields say it all. */
function titleOf({ kind, id, name, what, undoneBy }: DescribedItem, isAlone: boolean): string {
  if (kind === 'removed')
    return what === 'removed' ? 'Imports may add the file again' : 'Imports leave out the file';
  if (kind === 'blocked') return `Name ${name} ${what === 'removed' ? 'no longer blocked' : 'blocked'}`;
  if (kind === 'taken-down') return isAlone ? 'Taken down' : `Picture ${id} taken down`;
  const subject = kind === 'image' ? 'Picture' : kind;
  if (isAlone && what === 'changed' && undoneBy === null) return '';
  const called = name ?? (kind === 'image' ? '' : id);
  return capitalise([subject, called, what].filter(Boolean).join(' '));
}

function fieldsOf({ kind, what, differences }: DescribedItem): HTMLElement[] {
  if (kind === 'taken-down') return [];
  const shown = differences.filter(({ field, before, after }) => {
    if (kind === 'removed') return field === 'reason';
    // That a field is changed by hand follows from the change of the field.
    if (field === 'edited') return differences.length === 1;
    return what === 'changed' || `${before}${after}` !== 'false';
  });
  return shown.map(({ field, before, after }) =>
    el(
      'div',
      {},
      el('dt', {}, fieldNames[field] ?? field),
      what === 'changed'
        ? el('dd', {}, readable(before), ' → ', readable(after))
        : el('dd', {}, readable(before || after)),
    ),
  );
}

function readable(text: string): Node | string {
  if (text === '') return el('span', { class: 'quiet' }, 'none');
  if (isTime.test(text)) return describeTime(text);
  return /^[\da-f]{40,}$/.test(text) ? `${text.slice(0, MAX_HASH_LENGTH)}…` : text;
}

/** A picture that was deleted for good has none. */
function preview(id: string): HTMLElement {
  const image = el('img', { src: pictureAddress(id, PREVIEW_SIZE), alt: '', loading: 'lazy' });
  image.addEventListener('error', () => image.remove());
  return image;
}
