/** The last imports, pictures that look alike, side by side, and problems of the catalogue. */
import type { Alike, Change } from '../../../src/studio/contract.ts';
import { el } from '../../dom.ts';
import { changeRow, loadImports, rowButton } from '../changes/change-row.ts';
import type { Steps } from '../saving/steps.ts';
import { change, get, post } from '../shared/api.ts';
import { button, showPage } from '../shared/elements.ts';
import { countPictures, explain, formatNumber, notify } from '../shared/notices.ts';
import { describeFacts, pictureCard } from '../shared/picture.ts';

type ShowPictures = (change: Change) => void;

export async function showReview(
  steps: Steps,
  showPictures: ShowPictures,
  signal: AbortSignal,
): Promise<void> {
  const list = showPage('Review', [], 'Review');
  const note = el('p.quiet', { role: 'status' }, 'Comparing all pictures…');
  list.append(el('h2', 'Imports'), importList(await loadImports(signal), steps, showPictures));
  list.append(el('h2', 'Look-alikes'), note);
  const { total, groups } = await get('/data/alike', {}, signal);
  const shown = total > groups.length ? `, the first ${groups.length} shown` : '';
  note.textContent =
    total === 0
      ? 'No pictures look alike. “zukan duplicates” also compares pictures that older versions imported.'
      : `${formatNumber(total)} ${total === 1 ? 'group' : 'groups'}${shown}`;
  list.append(el('div.groups', ...groups.map((images) => group(images, steps))));
  const problems = await get('/data/problems', {}, signal);
  list.append(
    el('h2', 'Problems'),
    problems.length === 0 ? el('p.quiet', 'No problems found.') : problemList(problems),
    fileCheck(),
  );
}

const CHECK_FILES = 'Check the files';
const problemList = (problems: string[]) => el('ul', ...problems.map((problem) => el('li', problem)));

/** Reads every file, so it waits until somebody asks for it. */
function fileCheck(): HTMLElement {
  const result = el('div', { role: 'status' });
  let request: AbortController | undefined;
  const check = async () => {
    request = new AbortController();
    start.textContent = 'Stop';
    result.replaceChildren('Reading all files…');
    try {
      const { count, listed } = await change('/check/files', {}, request.signal);
      result.replaceChildren(
        count === 0 ? 'All files are there, and as they were stored.' : `${formatNumber(count)} problems:`,
        problemList(listed),
      );
    } catch (error) {
      result.replaceChildren();
      explain(error);
    } finally {
      request = undefined;
      start.textContent = CHECK_FILES;
    }
  };
  const start = button(CHECK_FILES, () => (request ? request.abort() : void check()));
  return el('div.file-check', start, result);
}

function group(images: Alike[], steps: Steps): HTMLElement {
  const row = el('ul.alike');
  row.append(...images.map((image) => member(image, images, row, steps)));
  return row;
}

function member(image: Alike, images: Alike[], row: HTMLElement, steps: Steps): HTMLElement {
  const keep = () => void removeOthers(image, images, row, steps);
  const label = `Keep only this: ${image.label}, ${describeFacts(image)}`;
  return pictureCard(image, button('Keep only this', keep, { 'aria-label': label }));
}

async function removeOthers({ id }: Alike, images: Alike[], row: HTMLElement, steps: Steps): Promise<void> {
  // A second click on another picture of the group would remove that one, too.
  if (row.ariaBusy === 'true') return;
  row.ariaBusy = 'true';
  const ids = images.flatMap((image) => (image.id === id ? [] : [image.id]));
  try {
    await steps.changeNow(async () => {
      // Refused if somebody has removed the one that stays.
      await post('/data/summary', { ids: [id] });
      const { version } = await post('/data/summary', { ids });
      const body = { ids, version, reason: `looks like ${id}`, isTakeDown: false };
      return change('/change/remove', body);
    });
    // With the button, the keyboard would lose its place.
    const next = row.nextElementSibling ?? row.previousElementSibling;
    if (row.contains(document.activeElement)) next?.querySelector('button')?.focus();
    row.remove();
    notify(`Removed ${countPictures(ids.length)}. You can undo this.`);
  } catch (error) {
    row.ariaBusy = 'false';
    explain(error);
  }
}

// The last imports: what each changed, its pictures, and a way to undo it.

const FIRST_SHOWN = 5;

/** The first ones of a section, and a button for the others. */
function importList(imports: Change[], steps: Steps, showPictures: ShowPictures): HTMLElement {
  if (imports.length === 0) return el('p.quiet', 'No imports.');
  const row = (change: Change) => {
    const show = () => showPictures(change);
    const hasPictures = change.added + change.changed > 0;
    return changeRow(change, steps, {
      actions: hasPictures ? [rowButton(change, 'Show pictures', show)] : [],
    });
  };
  const list = el('ul.changes', ...imports.slice(0, FIRST_SHOWN).map(row));
  if (imports.length <= FIRST_SHOWN) return list;
  const showAll = () => {
    const others = imports.slice(FIRST_SHOWN).map(row);
    list.append(...others);
    more.remove();
    others[0]?.querySelector('summary')?.focus();
  };
  const more = button(`Show all ${imports.length}`, showAll);
  return el('div', list, more);
}
