/** Asks whether to undo a change, with a list of what that does. */
import type { Change, Undone } from '../../src/studio/contract.ts';
import { el } from '../dom.ts';
import { describeOrigin, describeTime } from './change.ts';
import { showDialog } from './dialog.ts';
import { pictureAddress } from './picture-address.ts';
import { previewUndo, undo } from './steps.ts';
import { capitalise, countPictures } from './text.ts';

const PREVIEW_SIZE = 128;
const MAX_PREVIEWS = 10;

export async function askUndo(change: Change): Promise<void> {
  const preview = await previewUndo(change.number);
  // Another dialog may wait for an answer.
  if (!preview || document.querySelector('dialog[open]')) return;
  const { removed, restored, changed, entries } = preview;
  const isVisible = removed.count + restored.count + changed.count + entries > 0;
  const isEmpty = !isVisible && preview.kept.count > 0;
  const notes = [
    'This is a change too, which you can undo in the history.',
    ...(change.source ? ['The next import of the same files does the same again.'] : []),
  ];
  showDialog(
    isEmpty ? 'There is nothing to undo' : 'Undo this change?',
    [
      el('p', {}, capitalise(change.summary)),
      el('p', { class: 'quiet' }, `${describeTime(change.at)} · ${describeOrigin(change)}`),
      ...effects(preview),
      ...(isEmpty || isVisible ? [] : [el('p', {}, 'Only what imports leave out changes.')]),
      ...keptList(preview.kept),
      ...(isEmpty ? [] : [el('p', { class: 'quiet' }, notes.join(' '))]),
    ],
    isEmpty
      ? [{ label: 'Close', isStrong: true }]
      : [{ label: 'Undo', isStrong: true, press: () => undo(change.number) }, { label: 'Cancel' }],
  );
}

function effects({ removed, restored, changed, entries }: Undone): HTMLElement[] {
  const [one, many] = ['1 artist, character or category', `${entries} artists, characters and categories`];
  return [
    ...counted(removed, 'moves to the trash.', 'move to the trash.'),
    ...counted(restored, 'comes back from the trash.', 'come back from the trash.'),
    ...counted(changed, 'gets former fields back.', 'get former fields back.'),
    ...(entries > 0
      ? [
          el(
            'p',
            {},
            entries === 1
              ? `${one} is removed, restored or changed back.`
              : `${many} are removed, restored or changed back.`,
          ),
        ]
      : []),
  ];
}

function counted({ count, listed }: Undone['removed'], one: string, many: string): HTMLElement[] {
  if (count === 0) return [];
  const shown = listed.slice(0, MAX_PREVIEWS);
  const more = count - shown.length;
  return [
    el('p', {}, `${countPictures(count)} ${count === 1 ? one : many}`),
    el(
      'div',
      { class: 'previews' },
      ...shown.map((id) => preview(id)),
      ...(more > 0 ? [el('span', { class: 'quiet' }, `and ${more} more`)] : []),
    ),
  ];
}

/** By reason. */
function keptList({ count, listed }: Undone['kept']): HTMLElement[] {
  if (count === 0) return [];
  const more = count - listed.length;
  return [
    el('h3', {}, 'Stays as it is'),
    ...[...Map.groupBy(listed, ({ reason }) => reason)].flatMap(([reason, items]) => [
      el('p', {}, capitalise(reason)),
      el('div', { class: 'previews' }, ...items.map(keptItem)),
    ]),
    ...(more > 0 ? [el('p', { class: 'quiet' }, `and ${more} more`)] : []),
  ];
}

function keptItem({ kind, id, name }: Undone['kept']['listed'][number]): HTMLElement {
  if (kind === 'image') return preview(id);
  const text = kind === 'removed' ? 'what imports leave out' : `${kind} ${name ?? id}`;
  return el('span', { class: 'chip' }, text);
}

/** A picture that was deleted for good has none. */
function preview(id: string): HTMLElement {
  const image = el('img', { src: pictureAddress(id, PREVIEW_SIZE), alt: '' });
  image.addEventListener('error', () => image.replaceWith(el('span', { class: 'chip' }, id.slice(0, 8))));
  return image;
}
