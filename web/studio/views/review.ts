/** The page Review: the last imports, pictures that look alike, side by side, and problems of the catalogue; and the pages Removed and Site. */
import type { Alike, Change, RemovedPicture, RequestTo, ResponseOf } from '../../../src/studio/contract.ts';
import { byId, el } from '../../dom.ts';
import { changeRow, describeTime, loadImports, rowButton } from '../changes/history.ts';
import type { Steps } from '../saving/steps.ts';
import { change, get, post } from '../shared/api.ts';
import { ask, button, showPage } from '../shared/elements.ts';
import { capitalise, countPictures, explain, formatNumber, notify } from '../shared/notices.ts';
import { describeFacts, pictureAddress, pictureCard } from '../shared/picture.ts';

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
  const removeOthers = async ({ id }: Alike) => {
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
  };
  for (const image of images) {
    const label = `Keep only this: ${image.label}, ${describeFacts(image)}`;
    const keep = button('Keep only this', () => void removeOthers(image), { 'aria-label': label });
    row.append(pictureCard(image, keep));
  }
  return row;
}

// The last imports: what each changed, its pictures, and a way to undo it.

const FIRST_SHOWN = 5;

/** The first ones of a section, and a button for the others. */
function importList(imports: Change[], steps: Steps, showPictures: ShowPictures): HTMLElement {
  if (imports.length === 0) return el('p.quiet', 'No imports.');
  const row = (change: Change) => {
    const show = rowButton(change, 'Show pictures', () => showPictures(change));
    return changeRow(change, steps, { actions: change.added + change.changed > 0 ? [show] : [] });
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

// The pictures and files that were removed. Those in the trash can be restored, others may be imported again.

const MAX_SHOWN = 500;
const PREVIEW_SIZE = 128;

export async function showRemoved(steps: Steps, signal: AbortSignal): Promise<void> {
  const removed = await get('/data/removed', {}, signal);
  const inTrash = removed.filter(({ isInTrash }) => isInTrash).length;
  const empty = button('Empty the trash…', () => askToEmpty(inTrash, steps));
  const rows = removed.slice(0, MAX_SHOWN).map((picture) => removedRow(picture, steps));
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

function removedRow(
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

// The texts of the site: visitors read them on every page.

type Field = RequestTo<'/change/site'>['field'];

const fields: Record<Field, { label: string; hint: string }> = {
  name: { label: 'Name', hint: 'On every page, up to 60 characters' },
  description: { label: 'Description', hint: 'A sentence for the foot of each page and for link previews' },
  links: { label: 'Links', hint: 'Imprint=https://example.org/imprint, Privacy=https://example.org/privacy' },
  licence: { label: 'Licence', hint: 'Of pictures that state none: CC BY 4.0, an address or name=address' },
};

export async function showSite(steps: Steps, signal: AbortSignal): Promise<void> {
  const site = await get('/data/site', {}, signal);
  const inputs = (Object.keys(fields) as Field[]).map((field) => siteField(field, site, steps));
  byId('lists').replaceChildren(
    el('div.filters', el('h1', { tabindex: '-1' }, 'Site')),
    el('div.scroll.site', ...inputs),
  );
}

function siteField(field: Field, { texts, fixed }: ResponseOf<'/data/site'>, steps: Steps): HTMLElement {
  const { label, hint } = fields[field];
  const variable = fixed[field];
  const input = el('input', { type: 'text', value: texts[field] ?? '', disabled: variable !== undefined });
  input.addEventListener('change', () => {
    const text = input.value.trim();
    void steps.tryToMake('/change/site', { field, text });
  });
  const note =
    variable === undefined ? hint : `Set by the environment variable ${variable}; change it there.`;
  return el('label.field', el('span', label), input, el('span.quiet', note));
}
