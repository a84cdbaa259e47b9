/** The pictures and files that were removed. Those in the trash can be restored, others may be imported again. */
import type { RemovedPicture } from '../../../src/studio/contract.ts';
import { el } from '../../dom.ts';
import { describeTime } from '../changes/change-row.ts';
import type { Steps } from '../saving/steps.ts';
import { get } from '../shared/api.ts';
import { ask, button, showPage } from '../shared/elements.ts';
import { capitalise, formatNumber } from '../shared/notices.ts';
import { pictureAddress } from '../shared/picture.ts';

const MAX_SHOWN = 500;
const PREVIEW_SIZE = 128;

export async function showRemoved(steps: Steps, signal: AbortSignal): Promise<void> {
  const removed = await get('/data/removed', {}, signal);
  const inTrash = removed.filter(({ isInTrash }) => isInTrash).length;
  const empty = button('Empty the trash…', () => askToEmpty(inTrash, steps));
  const rows = removed.slice(0, MAX_SHOWN).map((picture) => row(picture, steps));
  // The keyboard stays where it was.
  const focused = buttons().indexOf(document.activeElement as HTMLButtonElement);
  const note = el('p.quiet', { role: 'status' }, describe(removed.length, inTrash));
  const controls = [note, ...(inTrash > 0 ? [empty] : [])];
  showPage('Removed', controls, 'Removed pictures', el('ul.changes', ...rows));
  if (focused >= 0) (buttons().at(focused) ?? document.querySelector<HTMLElement>('#lists h1'))?.focus();
}

const buttons = () => [...document.querySelectorAll<HTMLButtonElement>('#lists li button')];

function describe(count: number, inTrash: number): string {
  if (count === 0) return 'Nothing was removed.';
  const shown = count > MAX_SHOWN ? `, the last ${MAX_SHOWN} shown` : '';
  return `${formatNumber(inTrash)} in the trash, ${formatNumber(count - inTrash)} that imports leave out${shown}`;
}

function row(
  { id, removedAt, reason, name: title, isFormer, isInTrash }: RemovedPicture,
  steps: Steps,
): HTMLElement {
  const restore = () => steps.restore(id, isFormer);
  const allow = async () => {
    if (await steps.tryToMake('/change/allow', { ids: [id] }, 'Imports may add the picture again.'))
      steps.markStale(false);
  };
  const [label, act] = isInTrash ? [isFormer ? 'Bring back' : 'Restore', restore] : ['Allow again', allow];
  const preview = pictureAddress(id, isFormer ? `former/${PREVIEW_SIZE}` : PREVIEW_SIZE);
  const what = [...(isFormer ? ['former file'] : []), isInTrash ? 'in the trash' : 'deleted'].join(', ');
  const name = `${label} ${reason || id}`;
  return el(
    'li',
    el(
      'div.removed',
      ...(isInTrash ? [el('img', { src: preview, alt: '', loading: 'lazy' })] : []),
      el('p', capitalise(reason) || 'No reason given'),
      el(
        'p.quiet',
        el('time', { datetime: removedAt }, describeTime(removedAt)),
        ` · ${what} · ${title ? `${title} · ` : ''}${id}`,
      ),
    ),
    el(
      'div.actions',
      button(label, () => void act(), { 'aria-label': name }),
    ),
  );
}

function askToEmpty(inTrash: number, steps: Steps): void {
  const press = async () => {
    const isDone = await steps.tryToMake('/change/trash/empty', {}, 'The trash is empty.');
    if (isDone) steps.markStale(false);
    return isDone;
  };
  const effect = `All ${formatNumber(inTrash)} pictures and former files are deleted for good. You can’t undo this.`;
  ask('Empty the trash?', [el('p', effect)], 'Delete for good', press);
}
