/** Artists, characters, categories and albums: their lists, and the dialog that changes one. */
import type { Kind, ListedEntry } from '../../../src/studio/contract.ts';
import { el } from '../../dom.ts';
import type { Steps } from '../saving/steps.ts';
import { get, LastWork } from '../shared/api.ts';
import { type Choice, Combobox } from '../shared/combobox.ts';
import { ask, button, choice, field, showDialog, showPage, textField } from '../shared/elements.ts';
import { capitalise, countPictures, formatNumber, notify, plurals } from '../shared/notices.ts';

// The list of artists, characters, categories or albums.

/** More than anyone reads; the text field narrows it down. */
const MAX_SHOWN = 500;

type Save = Steps['tryToMake'];
type ShowPictures = (kind: Kind, entry: ListedEntry) => void;

export class EntryList {
  readonly #steps: Steps;
  readonly #showPictures: ShowPictures;
  readonly #search = el('input', {
    type: 'search',
    placeholder: 'Find by name',
    'aria-label': 'Find by name',
  });
  readonly #which = choice(
    {
      ...{ name: 'by name', images: 'most pictures first' },
      ...{ unused: 'without pictures', near: 'with similar names' },
    },
    { 'aria-label': 'Which entries' },
  );
  readonly #rows = el('tbody');
  readonly #note = el('p.quiet', { role: 'status' });
  #kind: Kind = 'artist';
  #entries: ListedEntry[] = [];
  readonly #request = new LastWork();

  /** Shows the list again if it was changed, when the dialog has given the focus back to its row. */
  readonly #save: Save = async (...change) => {
    const isDone = await this.#steps.tryToMake(...change);
    if (isDone) void this.load();
    return isDone;
  };

  constructor(steps: Steps, showPictures: ShowPictures) {
    this.#steps = steps;
    this.#showPictures = showPictures;
    this.#search.addEventListener('input', () => this.#render());
    this.#which.addEventListener('change', () => this.#render());
  }

  async show(kind: Kind): Promise<void> {
    if (kind !== this.#kind) {
      this.#search.value = '';
      this.#entries = [];
      this.#rows.replaceChildren();
    }
    this.#kind = kind;
    const head = el(
      'tr',
      ...['Name', 'Other names'].map((text) => el('th', { scope: 'col' }, text)),
      el('th.number', { scope: 'col' }, 'Pictures'),
    );
    const controls = [this.#note, this.#search, this.#which, button('Create…', () => this.#create())];
    const title = capitalise(plurals[kind]);
    showPage(title, controls, title, el('table', el('thead', head), this.#rows));
    await this.load();
  }

  /** Goes to those of a kind that have no pictures. */
  showUnused(kind: Kind): void {
    this.#which.value = 'unused';
    location.hash = `#${plurals[kind]}`;
  }

  load(): Promise<void> {
    return this.#request.start(async (signal) => {
      this.#entries = await get('/data/entries', { kind: this.#kind }, signal);
      this.#render();
    });
  }

  #render(): void {
    const key = nearKey(this.#search.value);
    const which = this.#which.value;
    const all = which === 'near' ? findNearEqual(this.#entries) : this.#entries;
    const found = all
      .filter(({ images }) => which !== 'unused' || images === 0)
      .filter(({ name, aliases }) => [name, ...aliases].some((text) => nearKey(text).includes(key)));
    if (which === 'images') found.sort((a, b) => b.images - a.images);
    const hidden = Math.max(0, found.length - MAX_SHOWN);
    this.#note.textContent = hidden
      ? `${formatNumber(found.length)}, the first ${MAX_SHOWN} shown`
      : formatNumber(found.length);
    // The keyboard stays where it was.
    const focused = this.#buttons().indexOf(document.activeElement as HTMLButtonElement);
    this.#rows.replaceChildren(...found.slice(0, MAX_SHOWN).map((entry) => this.#row(entry)));
    this.#buttons()[focused]?.focus();
  }

  #buttons(): HTMLButtonElement[] {
    return [...this.#rows.querySelectorAll('button')];
  }

  #row(entry: ListedEntry): HTMLElement {
    const { name, aliases, images } = entry;
    const edit = () => showEntry(this.#kind, entry, this.#save);
    const pictures = () => this.#showPictures(this.#kind, entry);
    const count = formatNumber(images);
    const label = `${count}: show the pictures of ${name}`;
    return el(
      'tr',
      el('th', { scope: 'row' }, button(name, edit, { class: 'link' })),
      el('td.quiet', aliases.join(', ')),
      el('td.number', button(count, pictures, { class: 'link', 'aria-label': label })),
    );
  }

  #create(): void {
    const name = textField('Name', '');
    const press = () =>
      this.#save('/change/entry/create', { kind: this.#kind, name: name.input.value.trim() });
    ask(`Create ${/^a/.test(this.#kind) ? 'an' : 'a'} ${this.#kind}`, [name.element], 'Create', press);
  }
}

// Finds entries that are probably the same, such as `Hoshino Ink` and `hoshino_ink`.

/** Names with the same key differ only in case, punctuation, spaces or width. */
export function nearKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

/** Those that share their key with another one, next to each other. */
export function findNearEqual<Entry extends { name: string }>(entries: Entry[]): Entry[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = nearKey(entry.name);
    if (key !== '') groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].filter(({ length }) => length > 1).flat();
}

// Changes, merges and removes one artist, character, category or album.

/** The fields of each kind with their labels. Lists have one item per comma. */
const fieldsOf: Record<Kind, Record<string, string>> = {
  artist: { url: 'URL', licence: 'Licence of their pictures', credit: 'Credit' },
  category: { description: 'Description' },
  album: { description: 'Description' },
  character: {
    description: 'Description',
    source: 'From',
    gender: 'Gender',
    ages: 'Ages',
    birth_date: 'Birth date',
    nationality: 'Nationality',
    occupations: 'Occupations',
  },
};

function showEntry(kind: Kind, entry: ListedEntry, save: Save): void {
  const { id, version, fields } = entry;
  const name = textField('Name', entry.name);
  // A name may contain a comma.
  const aliases = el('textarea', { rows: Math.min(entry.aliases.length + 1, 5) }, entry.aliases.join('\n'));
  const inputs = Object.entries(fieldsOf[kind]).map(([field, label]) => ({
    field,
    ...textField(label, [fields[field] ?? ''].flat().join(', ')),
  }));
  const nsfw = el('input', { type: 'checkbox', checked: fields.nsfw === true });
  const edit = () => {
    const before = new Set(entry.aliases);
    const after = new Set(splitList(aliases.value, '\n'));
    const changed = inputs.filter(({ input }) => input.value !== input.defaultValue);
    const ages = changed.find(({ field }) => field === 'ages');
    if (ages && splitList(ages.input.value).some((age) => !/^\d+$/.test(age))) {
      notify('Ages must be whole numbers, separated by commas.');
      return false;
    }
    const body = {
      kind,
      id,
      version,
      fields: {
        ...(name.input.value.trim() !== entry.name && { name: name.input.value.trim() }),
        ...Object.fromEntries(
          changed.map(({ field, input }) => [field, readField(field, input.value.trim())]),
        ),
        ...(kind === 'category' && nsfw.checked !== nsfw.defaultChecked && { nsfw: nsfw.checked }),
      },
      addAliases: [...after].filter((alias) => !before.has(alias)),
      removeAliases: [...before].filter((alias) => !after.has(alias)),
    };
    return save('/change/entry', body, `Saved ${name.input.value.trim()}.`);
  };
  showDialog(
    `Change ${entry.name}`,
    [
      name.element,
      ...inputs.map(({ element }) => element),
      ...(kind === 'category' ? [el('label.check', nsfw, 'For adults')] : []),
      field('Other names, one per line', aliases),
    ],
    [
      { label: 'Save', isStrong: true, press: edit },
      { label: 'Merge…', press: () => askTarget(kind, entry, save) },
      { label: 'Remove…', press: () => askRemoval(kind, entry, save) },
      { label: 'Cancel' },
    ],
  );
}

function askTarget(kind: Kind, { id, name, version, images }: ListedEntry, save: Save): false {
  let target: Choice | undefined;
  const chosen = el('p', { role: 'status' });
  const combobox = new Combobox({
    label: 'Merge into',
    kind: () => kind,
    mayCreate: false,
    async onChoose(choosing) {
      const choice = await choosing;
      if (!choice) return;
      target = choice;
      chosen.textContent = `${name} becomes another name of ${choice.name}, which gets its ${countPictures(images)}.`;
    },
  });
  const press = async () => {
    if (target?.id !== undefined && target.id !== id) {
      const body = { kind, from: id, into: target.id, version };
      return save('/change/entry/merge', body, `Merged into ${target.name}.`);
    }
    notify('Choose another entry to merge into.');
    return false;
  };
  ask(`Merge ${name}`, [combobox.element, chosen], 'Merge', press);
  combobox.input.focus();
  return false;
}

function askRemoval(kind: Kind, { id, name, version, images }: ListedEntry, save: Save): false {
  const block = el('input', { type: 'checkbox' });
  const press = () =>
    save('/change/entry/remove', { kind, id, version, block: block.checked }, `Removed ${name}.`);
  const effect =
    images === 0 ? 'No picture has it.' : `${countPictures(images)} will lose it, and stay in the catalogue.`;
  const check = [block, 'Block the name, so that imports do not create it again'];
  ask(`Remove ${name}`, [el('p', effect), el('label.check', ...check)], 'Remove', press);
  return false;
}

function splitList(text: string, separator = ','): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter(Boolean);
}

function readField(field: string, text: string): unknown {
  if (field === 'ages') return splitList(text).map(Number);
  return field === 'occupations' ? splitList(text) : text;
}
