/** Asks whether to revert an import, with a list of what that changes. */
import { el } from '../dom.ts';
import { change, type Step } from './api.ts';
import { showDialog } from './dialog.ts';
import { describeSource, describeTime, type ImportActions, type ImportRun } from './import-run.ts';
import { explain, hideProgress, notify, showProgress } from './notices.ts';
import { showSteps } from './steps.ts';
import { countPictures } from './text.ts';

interface Counted<T> {
  count: number;
  listed: T[];
}

interface Kept {
  kind: string;
  id: string;
  name?: string;
  reason: string;
}

interface Revert {
  removed: Counted<string>;
  restored: Counted<string>;
  entries: number;
  kept: Counted<Kept>;
  lost: number;
  steps: Step[];
}

const PREVIEW_SIZE = 128;
const MAX_PREVIEWS = 10;

export async function askRevert(run: ImportRun, { onReverted }: ImportActions): Promise<void> {
  const preview = await callRevert(run, true);
  if (!preview) return;
  const press = async () => {
    const result = await callRevert(run, false);
    if (!result) return false;
    showSteps(result.steps);
    notify('The import is reverted. You can undo this.');
    onReverted();
    return true;
  };
  const isEmpty = preview.removed.count + preview.restored.count + preview.entries === 0;
  showDialog(
    isEmpty ? 'There is nothing to revert' : 'Revert this import?',
    [
      el('p', { class: 'quiet' }, `${describeTime(run)} · ${describeSource(run)}`),
      ...effects(preview),
      ...keptList(preview.kept),
      el(
        'p',
        { class: 'quiet' },
        'You can undo this until the studio ends. The next import of the same files does the same again.',
      ),
    ],
    isEmpty
      ? [{ label: 'Close', isStrong: true }]
      : [{ label: 'Revert', isStrong: true, press }, { label: 'Cancel' }],
  );
}

/** Undefined if it was refused, which the page says. */
async function callRevert(run: ImportRun, isPreview: boolean): Promise<Revert | undefined> {
  try {
    return await change<Revert>('/change/import/revert', { run: run.id, isPreview }, showProgress);
  } catch (error) {
    explain(error);
    return undefined;
  } finally {
    hideProgress();
  }
}

function effects({ removed, restored, entries, lost }: Revert): HTMLElement[] {
  const [one, many] = ['1 artist, character or category', `${entries} artists, characters and categories`];
  return [
    ...counted(removed, 'that it added', 'is removed.', 'are removed.'),
    ...counted(restored, 'that it changed', 'gets its former fields back.', 'get their former fields back.'),
    ...(entries > 0
      ? [el('p', {}, entries === 1 ? `${one} is removed or restored.` : `${many} are removed or restored.`)]
      : []),
    ...(lost > 0
      ? [el('p', {}, `${countPictures(lost)} that it removed can’t be restored: the files are gone.`)]
      : []),
  ];
}

function counted(
  { count, listed }: Counted<string>,
  which: string,
  one: string,
  many: string,
): HTMLElement[] {
  if (count === 0) return [];
  const shown = listed.slice(0, MAX_PREVIEWS);
  const more = count - shown.length;
  return [
    el('p', {}, `${countPictures(count)} ${which} ${count === 1 ? one : many}`),
    el(
      'div',
      { class: 'previews' },
      ...shown.map((id) => preview(id)),
      ...(more > 0 ? [el('span', { class: 'quiet' }, `and ${more} more`)] : []),
    ),
  ];
}

/** By reason. */
function keptList({ count, listed }: Counted<Kept>): HTMLElement[] {
  if (count === 0) return [];
  const more = count - listed.length;
  return [
    el('h3', {}, 'Stays as it is'),
    ...[...Map.groupBy(listed, ({ reason }) => reason)].flatMap(([reason, items]) => [
      el('p', {}, reason.charAt(0).toUpperCase() + reason.slice(1)),
      el('div', { class: 'previews' }, ...items.map(keptItem)),
    ]),
    ...(more > 0 ? [el('p', { class: 'quiet' }, `and ${more} more`)] : []),
  ];
}

function keptItem({ kind, id, name }: Kept): HTMLElement {
  return name === undefined ? preview(id) : el('span', { class: 'chip' }, `${kind} ${name}`);
}

const preview = (id: string) => el('img', { src: `/picture/${id}/${PREVIEW_SIZE}`, alt: '' });
