/** The last imports, pictures that look alike, side by side, and problems of the catalogue. */
import type { Alike, Change } from '../../src/studio/contract.ts';
import { byId, el } from '../dom.ts';
import { change, get, post } from './api.ts';
import { loadImports } from './change.ts';
import { importList } from './imports.ts';
import { explain, hideProgress, notify, showProgress } from './notices.ts';
import { cardButton, describeFacts, pictureCard } from './picture-card.ts';
import { changeNow } from './steps.ts';
import { countPictures, formatNumber } from './text.ts';

export async function showReview(showPictures: (change: Change) => void): Promise<void> {
  const list = el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Review' });
  const note = el('p', { class: 'quiet', role: 'status' }, 'Comparing all pictures…');
  byId('lists').replaceChildren(
    el('div', { class: 'filters' }, el('h1', { tabindex: '-1' }, 'Review')),
    list,
  );
  try {
    list.append(el('h2', {}, 'Imports'), importList(await loadImports(), showPictures));
    list.append(el('h2', {}, 'Look-alikes'), note);
    const { total, groups } = await get('/data/alike', {});
    const shown = total > groups.length ? `, the first ${groups.length} shown` : '';
    note.textContent =
      total === 0
        ? 'No pictures look alike. “zukan duplicates” also compares pictures of older versions.'
        : `${formatNumber(total)} ${total === 1 ? 'group' : 'groups'}${shown}`;
    list.append(el('div', { class: 'groups' }, ...groups.map(group)));
    const problems = await get('/data/problems', {});
    list.append(
      el('h2', {}, 'Problems'),
      problems.length === 0
        ? el('p', { class: 'quiet' }, 'The catalogue is consistent.')
        : problemList(problems),
      fileCheck(),
    );
  } catch (error) {
    explain(error);
  }
}

const CHECK_FILES = 'Check the files';
const problemList = (problems: string[]) => el('ul', {}, ...problems.map((problem) => el('li', {}, problem)));

/** Reads every file, so it waits until somebody asks for it. */
function fileCheck(): HTMLElement {
  const result = el('div', { role: 'status' });
  let request: AbortController | undefined;
  const check = async () => {
    request = new AbortController();
    button.textContent = 'Stop';
    result.replaceChildren('Reading all files…');
    try {
      const { count, listed } = await change('/check/files', {}, showProgress, request.signal);
      result.replaceChildren(
        count === 0 ? 'All files are there, and as they were stored.' : `${formatNumber(count)} problems:`,
        problemList(listed),
      );
    } catch (error) {
      result.replaceChildren();
      explain(error);
    } finally {
      request = undefined;
      button.textContent = CHECK_FILES;
      hideProgress();
    }
  };
  const button = el(
    'button',
    { type: 'button', class: 'button small', click: () => (request ? request.abort() : void check()) },
    CHECK_FILES,
  );
  return el('div', { class: 'file-check' }, button, result);
}

function group(images: Alike[]): HTMLElement {
  const row = el('ul', { class: 'alike' });
  row.append(...images.map((image) => member(image, images, row)));
  return row;
}

function member(image: Alike, images: Alike[], row: HTMLElement): HTMLElement {
  const keep = () => void removeOthers(image, images, row);
  const label = `Keep only this: ${image.label}, ${describeFacts(image)}`;
  return pictureCard(image, cardButton('Keep only this', label, keep));
}

async function removeOthers({ id }: Alike, images: Alike[], row: HTMLElement): Promise<void> {
  // A second click on another picture of the group would remove that one, too.
  if (row.ariaBusy === 'true') return;
  row.ariaBusy = 'true';
  const ids = images.flatMap((image) => (image.id === id ? [] : [image.id]));
  try {
    await changeNow(async () => {
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
