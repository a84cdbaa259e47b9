/** Lists of changes: the page with those of imports, commands and the studio, the changes of the selected picture, and their rows. */
import type { Change, ChangeGroup, DescribedItem, Undone } from '../../../src/studio/contract.ts';
import { el } from '../../dom.ts';
import { previewUndo, type Steps } from '../saving/steps.ts';
import { get, LastWork } from '../shared/api.ts';
import { ask, button, choice, field, showDialog, showPage } from '../shared/elements.ts';
import { capitalise, countPictures, explain, formatNumber } from '../shared/notices.ts';
import { pictureAddress } from '../shared/picture.ts';

/** As many as the server sends. */
const MAX_LISTED = 200;

export class HistoryPage {
  readonly #steps: Steps;
  readonly #origin = choice({ '': 'any', ...ORIGINS });
  readonly #since = el('input', { type: 'date' });
  readonly #note = el('p.quiet', { role: 'status' });
  readonly #list = el('ul.changes');
  readonly #controls = [this.#note, field('Made by', this.#origin), field('Since', this.#since)];
  readonly #request = new LastWork();

  constructor(steps: Steps) {
    this.#steps = steps;
    for (const filter of [this.#origin, this.#since])
      filter.addEventListener('change', () => void this.#load());
  }

  async show(): Promise<void> {
    // The keyboard stays where it is.
    if (!this.#list.isConnected) showPage('History', this.#controls, 'Changes', this.#list);
    await this.#load();
  }

  #load(): Promise<void> {
    const [origin, since] = [this.#origin.value as Change['origin'] | '', this.#since.value];
    const query = {
      ...(origin && { origin }),
      // The start of the day where the reader is.
      ...(since && { since: new Date(`${since}T00:00`).toISOString() }),
    };
    return this.#request.start(async (signal) => this.#render(await get('/data/history', query, signal)));
  }

  #render(changes: Change[]): void {
    const count = changes.length;
    if (count === 0) this.#note.textContent = 'No changes.';
    else this.#note.textContent = count < MAX_LISTED ? formatNumber(count) : `The last ${MAX_LISTED}`;
    const focused = document.activeElement?.closest<HTMLElement>('#lists .changes li')?.dataset.number;
    const open = new Set(
      Array.from(
        this.#list.querySelectorAll<HTMLElement>('li:has(> details[open])'),
        (row) => row.dataset.number,
      ),
    );
    this.#list.replaceChildren(
      ...changes.map((change) => changeRow(change, this.#steps, { isOpen: open.has(String(change.number)) })),
    );
    if (focused) this.#list.querySelector<HTMLElement>(`[data-number="${focused}"] summary`)?.focus();
  }
}

// The changes of the selected picture. They are loaded when somebody looks.

/** The last changes show at once what was before. */
const FIRST_OPEN = 3;

export class PictureHistory {
  readonly #steps: Steps;
  readonly #list = el('ul.changes.narrow');
  readonly #note = el('p.quiet', { role: 'status' });
  readonly element = el(
    'details.history',
    { hidden: true },
    el('summary', el('h3', 'History')),
    this.#note,
    this.#list,
  );
  #id: string | undefined;
  readonly #request = new LastWork();

  constructor(steps: Steps) {
    this.#steps = steps;
    this.element.addEventListener('toggle', () => void this.#load());
  }

  /** Undefined if there is not exactly one picture. */
  show(id: string | undefined): void {
    this.element.hidden = id === undefined;
    if (id !== this.#id) this.#list.replaceChildren();
    this.#id = id;
    void this.#load();
  }

  async #load(): Promise<void> {
    this.#request.abort();
    const id = this.#id;
    if (!this.element.open || id === undefined) return;
    await this.#request.start(async (signal) => {
      const changes = await get('/data/history', { image: id }, signal);
      this.#note.textContent = changes.length === 0 ? 'No changes of this picture.' : '';
      this.#list.replaceChildren(
        ...changes.map((change, index) =>
          changeRow(change, this.#steps, { image: id, isOpen: index < FIRST_OPEN }),
        ),
      );
    });
  }
}

// A change in a list: who made it and when, what was before and after once it is opened, and a way to undo it.

interface RowOptions {
  /** Shows only what happened to this picture. */
  image?: string | undefined;
  isOpen?: boolean;
  /** Before the button that undoes it. */
  actions?: HTMLElement[];
}

const states = { done: '', undone: 'Undone', forgotten: 'Can’t be undone', final: 'Can’t be undone' };
const fieldNames: Record<string, string> = {
  edited: 'changed by hand',
  createdAt: 'added',
  takenAt: 'taken or published',
  alt: 'alternative text',
  fileName: 'file name',
};
const PREVIEW_SIZE = 128;
const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

export function changeRow(
  change: Change & Partial<ChangeGroup>,
  steps: Steps,
  { image, isOpen = false, actions = [] }: RowOptions = {},
): HTMLElement {
  const { number, at, summary, state, parts = [] } = change;
  const first = parts.at(-1)?.number ?? number;
  const content = el('div.items');
  const details = el(
    'details',
    { open: isOpen },
    el(
      'summary',
      el('span', capitalise(summary)),
      el(
        'span.quiet',
        first === number ? `#${number} · ` : `#${first}–${number} · `,
        el('time', { datetime: at }, describeTime(at)),
        ` · ${describeOrigin(change)}`,
      ),
    ),
    content,
  );
  // It is also called for those that are open from the start.
  details.addEventListener('toggle', () => {
    if (!details.open || content.childElementCount > 0) return;
    if (parts.length === 0) void showItems(content, change, image);
    else content.append(el('ul.changes', ...parts.map((part) => changeRow(part, steps, { image }))));
  });
  return el(
    'li',
    { 'data-number': number },
    details,
    el(
      'div.actions',
      ...(states[state] ? [el('span.quiet', states[state])] : []),
      ...actions,
      ...(state === 'done' ? [rowButton(change, 'Undo…', () => void askUndo(change, steps))] : []),
    ),
  );
}

export function rowButton({ number, summary }: Change, label: string, press: () => void): HTMLElement {
  return button(label, press, { 'aria-label': `${label} Change ${number}: ${summary}` });
}

async function showItems(content: HTMLElement, change: Change, image: string | undefined): Promise<void> {
  try {
    const items = await get('/data/change', { number: String(change.number), ...(image && { image }) });
    const more = image === undefined ? change.items - items.length : 0;
    content.replaceChildren(
      ...(items.length === 0 ? [el('p.quiet', describeEmpty(change, image))] : []),
      ...items.map((item) => describeItem(item, image !== undefined)),
      ...(more > 0 ? [el('p.quiet', `and ${formatNumber(more)} more`)] : []),
    );
  } catch (error) {
    explain(error);
  }
}

/** Pictures that an import adds have no former fields. */
function describeEmpty({ state, added }: Change, image: string | undefined): string {
  if (state === 'forgotten') return 'It changed too much to be remembered.';
  if (added === 0) return 'There are no details.';
  return image === undefined ? 'It only added pictures.' : 'It added the picture.';
}

function describeItem(item: DescribedItem, isAlone: boolean): HTMLElement {
  const { kind, id, undoneBy } = item;
  const title = titleOf(item, isAlone) + (undoneBy === null ? '' : ` (undone by #${undoneBy})`);
  const fields = fieldsOf(item);
  return el(
    'section',
    ...(kind === 'image' && !isAlone ? [preview(id)] : []),
    ...(title ? [el('p', title)] : []),
    ...(fields.length > 0 ? [el('dl', ...fields)] : []),
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
    // Its values are hashes.
    if (field === 'file') return what === 'changed';
    // That a field is changed by hand follows from the change of the field.
    if (field === 'edited') return differences.length === 1;
    return what === 'changed' || `${before}${after}` !== 'false';
  });
  return shown.map(({ field, before, after }) =>
    el(
      'div',
      el('dt', fieldNames[field] ?? field),
      field === 'file'
        ? el('dd', 'replaced by another one')
        : what === 'changed'
          ? el('dd', readable(before), ' → ', readable(after))
          : el('dd', readable(before || after)),
    ),
  );
}

function readable(text: string): Node | string {
  if (text === '') return el('span.quiet', 'none');
  return isTime.test(text) ? describeTime(text) : text;
}

/** A picture that was deleted for good has none. */
function preview(id: string, instead: Node | string = ''): HTMLElement {
  const image = el('img', { src: pictureAddress(id, PREVIEW_SIZE), alt: '', loading: 'lazy' });
  image.addEventListener('error', () => image.replaceWith(instead));
  return image;
}

// Asks whether to undo a change, with a list of what that does.

const MAX_PREVIEWS = 10;

async function askUndo(change: Change & Partial<ChangeGroup>, steps: Steps): Promise<void> {
  const { parts = [] } = change;
  const summary = el('p', capitalise(change.summary));
  if (parts.length > 0) {
    const effect = el('p.quiet', 'What was changed since stays as it is.');
    const press = () => steps.undo(parts.map(({ number }) => number));
    return ask(`Undo these ${formatNumber(parts.length)} changes?`, [summary, effect], 'Undo', press);
  }
  const undone = await previewUndo(change.number);
  // Another dialog may wait for an answer.
  if (!undone || document.querySelector('dialog[open]')) return;
  const { removed, restored, changed, entries } = undone;
  const isVisible = removed.count + restored.count + changed.count + entries > 0;
  const isEmpty = !isVisible && undone.kept.count > 0;
  const notes = [
    'This is a change too, which you can undo in the history.',
    ...(change.source ? ['The next import of the same files does the same again.'] : []),
  ];
  const content = [
    summary,
    el('p.quiet', `${describeTime(change.at)} · ${describeOrigin(change)}`),
    ...effects(undone),
    ...(isEmpty || isVisible ? [] : [el('p', 'Only what imports leave out changes.')]),
    ...keptList(undone.kept),
    ...(isEmpty ? [] : [el('p.quiet', notes.join(' '))]),
  ];
  if (isEmpty) showDialog('There is nothing to undo', content, [{ label: 'Close', isStrong: true }]);
  else ask('Undo this change?', content, 'Undo', () => steps.undo([change.number]));
}

function effects({ removed, restored, changed, entries }: Undone): HTMLElement[] {
  const entriesText =
    entries === 1
      ? '1 artist, character or category is removed, restored or changed back.'
      : `${entries} artists, characters and categories are removed, restored or changed back.`;
  return [
    ...counted(removed, 'moves to the trash.', 'move to the trash.'),
    ...counted(restored, 'comes back from the trash.', 'come back from the trash.'),
    ...counted(changed, 'gets former fields back.', 'get former fields back.'),
    ...(entries > 0 ? [el('p', entriesText)] : []),
  ];
}

function counted({ count, listed }: Undone['removed'], one: string, many: string): HTMLElement[] {
  if (count === 0) return [];
  const shown = listed.slice(0, MAX_PREVIEWS);
  const more = count - shown.length;
  return [
    el('p', `${countPictures(count)} ${count === 1 ? one : many}`),
    el(
      'div.previews',
      ...shown.map(previewOrId),
      ...(more > 0 ? [el('span.quiet', `and ${more} more`)] : []),
    ),
  ];
}

/** By reason. */
function keptList({ count, listed }: Undone['kept']): HTMLElement[] {
  if (count === 0) return [];
  const more = count - listed.length;
  return [
    el('h3', 'Stays as it is'),
    ...[...Map.groupBy(listed, ({ reason }) => reason)].flatMap(([reason, items]) => [
      el('p', capitalise(reason)),
      el('div.previews', ...items.map(keptItem)),
    ]),
    ...(more > 0 ? [el('p.quiet', `and ${more} more`)] : []),
  ];
}

function keptItem({ kind, id, name }: Undone['kept']['listed'][number]): HTMLElement {
  if (kind === 'image') return previewOrId(id);
  const text = kind === 'removed' ? 'what imports leave out' : `${kind} ${name ?? id}`;
  return el('span.chip', text);
}

const previewOrId = (id: string) => preview(id, el('span.chip', id.slice(0, 8)));

// Words for a change of the log.

export const ORIGINS = { import: 'import', shell: 'command', studio: 'studio' };

const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const shortTimes = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
});

/** The newest one first. */
export const loadImports = (signal: AbortSignal) => get('/data/imports', {}, signal);
export const describeTime = (at: string) => times.format(new Date(at));
/** Several imports may be of the same minute. */
export const describeOption = ({ at, added, changed }: Change) =>
  `import of ${shortTimes.format(new Date(at))} (${formatNumber(added + changed)})`;
/** Who made it, and what was imported. */
function describeOrigin({ origin, user, source }: Change): string {
  return [ORIGINS[origin], user, source].filter(Boolean).join(' · ');
}
