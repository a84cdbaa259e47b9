/** What is known of the selected pictures, and the fields to change it. */
import type {
  EditableField,
  ImageEdit,
  Kind,
  Rating,
  SelectionSummary,
} from '../../../src/studio/contract.ts';
import { byId, el, externalLink } from '../../dom.ts';
import { PictureHistory } from '../changes/history.ts';
import type { Steps } from '../saving/steps.ts';
import { type Choice, Combobox } from '../shared/combobox.ts';
import { ask, button } from '../shared/elements.ts';
import { formatNumber, formatSize } from '../shared/notices.ts';
import { pictureAddress } from '../shared/picture.ts';
import { addAll, Tags } from './tags.ts';

export const RATINGS = ['sfw', 'questionable', 'nsfw'] as const;
const PREVIEW_SIZE = 640;
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

interface PanelActions {
  rate(rating: Rating): void;
  /** Changes the pictures that are selected now, also if it is not known yet how. */
  edit(edit: ImageEdit | Promise<ImageEdit | undefined>): void;
  /** To the trash, or for ever. */
  remove(isTakeDown: boolean): void;
}

export class Panel {
  readonly #steps: Steps;
  readonly #actions: PanelActions;
  readonly #head = el('div.head');
  readonly #ratings = el('fieldset.toggles', { 'aria-label': 'Rating' });
  readonly #entries = {
    artists: el('ul.entries'),
    categories: el('ul.entries'),
    characters: el('ul.entries'),
    albums: el('ul.entries'),
  };
  readonly #edited = el('div.decided');
  /** By the field of an edit. */
  readonly #texts = {
    title: el('input', { type: 'text', 'aria-label': 'Title', maxlength: 255 }),
    description: el('textarea', { rows: 3, 'aria-label': 'Description', maxlength: 10_000 }),
    takenAt: el('input', {
      type: 'text',
      'aria-label': 'Taken or published',
      title: 'Such as 2026-01-31 or 2026-01-31T12:00:00+01:00',
    }),
    alt: el('textarea', { rows: 2, 'aria-label': 'Alternative text', maxlength: 2000 }),
    licence: el('input', {
      type: 'text',
      'aria-label': 'Licence',
      title: 'Such as CC BY 4.0, https://… or Name=https://…',
    }),
    credit: el('input', { type: 'text', 'aria-label': 'Credit', maxlength: 255 }),
    sourceName: el('input', { type: 'text', 'aria-label': 'Name of the source' }),
    sourceUrl: el('input', { type: 'url', 'aria-label': 'URL of the source' }),
  };
  readonly #former = button('Former file…', () => this.#askFormer(), { class: 'button' });
  readonly #history: PictureHistory;
  readonly #form: HTMLElement;
  readonly #hint: HTMLElement;
  readonly tags: Tags;
  /** By the key that leads to it. */
  readonly fields: Record<string, HTMLElement>;

  /** `moves` changes the place of pictures in an album. */
  constructor(steps: Steps, actions: PanelActions, hint: HTMLElement, moves: HTMLElement) {
    this.#steps = steps;
    this.#history = new PictureHistory(steps);
    this.#actions = actions;
    this.#hint = hint;
    for (const rating of RATINGS)
      this.#ratings.append(button(rating, () => actions.rate(rating), { class: undefined, value: rating }));
    this.tags = new Tags((edit) => actions.edit(edit));
    const combobox = (label: string, kind: Kind, toEdit: (reference: string) => ImageEdit) =>
      new Combobox({
        label,
        kind: () => kind,
        mayCreate: true,
        ...(kind === 'category' && { onList: (names) => actions.edit(addAll(names)) }),
        onChoose: (choosing) => {
          if (kind === 'category') void choosing.then((choice) => choice && this.tags.use(choice));
          const toEditOf = ({ id, name }: Choice) => ({ ...toEdit(id ?? name), create: id === undefined });
          actions.edit(choosing.then((choice) => choice && toEditOf(choice)));
        },
      });
    const artist = combobox('Set the artist', 'artist', (reference) => ({ artist: reference }));
    const category = combobox('Add a category', 'category', (name) => ({ addCategories: [name] }));
    const character = combobox('Add a character', 'character', (name) => ({ addCharacters: [name] }));
    const album = combobox('Add to an album', 'album', (name) => ({ addAlbums: [name] }));
    for (const [field, input] of Object.entries(this.#texts)) {
      input.addEventListener('change', () => {
        input.defaultValue = input.value;
        actions.edit({ [field]: input.value.trim() });
      });
      // The text is of the pictures before.
      input.addEventListener('focus', () => {
        if (this.#form.classList.contains('loading') && !isEdited(input)) setText(input, '');
      });
    }
    const { categories, characters, artists, albums } = this.#entries;
    const { title, description, takenAt, alt, sourceName, sourceUrl, licence, credit } = this.#texts;
    const part = (title: string, ...content: Node[]) => el('section.part', el('h3', title), ...content);
    this.#form = el(
      'div.form',
      { hidden: true },
      this.#head,
      part('Rating', this.#ratings),
      part('Categories', categories, category.element, this.tags.element),
      part('Characters', characters, character.element),
      part('Artist', artists, artist.element),
      part('Albums', albums, album.element, moves),
      part('Title and description', title, description),
      part('Taken or published', takenAt),
      part('Alternative text', alt),
      part('Source', sourceName, sourceUrl),
      part('Licence and credit', licence, credit),
      this.#edited,
      el(
        'div.actions',
        this.#former,
        button('Remove…', () => actions.remove(false), { class: 'button' }),
        button('Take down…', () => actions.remove(true), { class: 'button' }),
      ),
      this.#history.element,
    );
    this.fields = {
      c: category.input,
      h: character.input,
      a: artist.input,
      b: album.input,
      s: sourceName,
    };
    byId('panel').append(this.#hint, this.#form);
    // The keyboard can scroll it, also when it has no fields.
    byId('panel').tabIndex = 0;
  }

  /** Before other pictures are selected: saves what somebody is typing. The buttons of entries must not change the others. */
  leave(): void {
    for (const input of Object.values(this.#texts)) if (document.activeElement === input) input.blur();
    this.#form.classList.add('loading');
  }

  show(summary: SelectionSummary | undefined, ids: string[]): void {
    this.#form.classList.remove('loading');
    this.#hint.hidden = summary !== undefined;
    this.#form.hidden = summary === undefined;
    this.tags.show(ids);
    this.#history.show(summary?.images === 1 ? ids[0] : undefined);
    if (!summary) return;
    const { source } = summary;
    this.#former.hidden = summary.details?.replacedAt === undefined;
    this.#former.value = ids[0] ?? '';
    this.#showHead(summary, ids);
    // A picture has one artist, which another one replaces.
    this.#showEntries(summary, 'artists');
    this.#showEntries(summary, 'categories', 'addCategories', 'removeCategories');
    this.#showEntries(summary, 'characters', 'addCharacters', 'removeCharacters');
    this.#showEntries(summary, 'albums', 'addAlbums', 'removeAlbums');
    const texts: Record<string, unknown> = {
      ...summary,
      ...{ sourceName: source?.name, sourceUrl: source?.url },
    };
    // What somebody has begun to type stays.
    for (const [field, input] of Object.entries(this.#texts))
      if (document.activeElement !== input || !isEdited(input)) {
        const text = texts[field] as string | undefined;
        setText(input, text ?? '');
        input.placeholder = text === undefined ? 'several' : 'none';
      }
    const fields = Object.keys(summary.edited) as EditableField[];
    this.#edited.replaceChildren();
    if (fields.length > 0) {
      const reset = () => this.#actions.edit({ reset: fields });
      const title = 'Imports of folders may change these fields again';
      this.#edited.append(
        el('p.quiet', `Changed by hand: ${fields.join(', ')}.`),
        button('Let imports change them again', reset, { title }),
      );
    }
  }

  showRatings(ratings: SelectionSummary['ratings'], images: number): void {
    for (const button of this.#ratings.querySelectorAll('button')) {
      const rated = ratings[button.value as Rating] ?? 0;
      button.setAttribute('aria-pressed', rated === images ? 'true' : rated > 0 ? 'mixed' : 'false');
    }
  }

  #showHead({ images, details, title, source }: SelectionSummary, ids: string[]): void {
    const [id = ''] = ids;
    const [old] = this.#head.getElementsByTagName('img');
    const address = pictureAddress(id, PREVIEW_SIZE);
    // The same picture stays, so that it does not flash after a change.
    const image = old?.getAttribute('src') === address ? old : el('img', { src: address, alt: '' });
    const text = details
      ? `${details.width} × ${details.height} · ${formatSize(details.size)} · ${dates.format(new Date(details.createdAt))}`
      : 'What you change applies to all of them.';
    this.#head.replaceChildren(
      ...(details ? [image] : []),
      el('h2', images === 1 ? 'One picture' : `${formatNumber(images)} pictures`),
      ...(details && title ? [el('p', title)] : []),
      ...(details?.fileName ? [el('p.quiet', details.fileName)] : []),
      el('p.quiet', text),
      ...(details && source?.url ? [el('p.quiet', externalLink(source.url, 'Open the source'))] : []),
    );
  }

  #askFormer(): void {
    const id = this.#former.value;
    const image = el('img', { src: pictureAddress(id, `former/${PREVIEW_SIZE}`), alt: 'The former file' });
    const effect =
      'The picture keeps its fields, and the stricter rating of both. Its present file goes to the trash.';
    const press = () => void this.#steps.restore(id, true);
    ask('Bring the former file back?', [image, el('p', effect)], 'Bring back', press);
  }

  #showEntries(
    summary: SelectionSummary,
    field: 'artists' | 'categories' | 'characters' | 'albums',
    add?: 'addCategories' | 'addCharacters' | 'addAlbums',
    remove?: 'removeCategories' | 'removeCharacters' | 'removeAlbums',
  ): void {
    const { images } = summary;
    const editButton = (text: string, label: string, edit: ImageEdit) =>
      button(text, () => this.#actions.edit(edit), { class: undefined, 'aria-label': label, title: label });
    this.#entries[field].replaceChildren(
      ...summary[field].map(({ id, name, images: count }) =>
        el(
          'li',
          el('span', describe(name, count, images)),
          ...(add && count < images ? [editButton('+', `Add ${name} to all`, { [add]: [id] })] : []),
          ...(remove ? [editButton('×', `Remove ${name}`, { [remove]: [id] })] : []),
        ),
      ),
    );
  }
}

const describe = (name: string, count: number, images: number) =>
  count === images ? name : `${name} (${formatNumber(count)})`;

type TextInput = HTMLInputElement | HTMLTextAreaElement;
const isEdited = (input: TextInput) => input.value !== input.defaultValue;

/** Selects the new text of a focused field, so that typing replaces it. */
function setText(input: TextInput, text: string): void {
  const isOther = input.value !== text;
  if (isOther) input.value = text;
  if (isOther && document.activeElement === input) input.select();
  // The browser leaves out what the field cannot have, such as line breaks.
  input.defaultValue = input.value;
}

// The actions for fingers: a bar at the bottom, the fields as a sheet above it, and what small screens fold away.

const BUTTONS = ['clear', 'several', 'all', 'view', 'grid', 'repeat', 'undo', 'remove', 'next'] as const;

interface BarActions extends Record<(typeof BUTTONS)[number], () => void> {
  rate(rating: Rating): void;
  /** The fields were opened or closed. */
  onSheet(): void;
}

export class Bar {
  readonly #actions: BarActions;

  constructor(actions: BarActions) {
    this.#actions = actions;
    for (const name of BUTTONS) this.#button(name).addEventListener('click', () => actions[name]());
    for (const rating of RATINGS) this.#button(rating).addEventListener('click', () => actions.rate(rating));
    this.#button('edit').addEventListener('click', () => this.#toggleSheet());
    byId('more-filters').addEventListener('click', () => fold('more-filters', 'filters'));
    byId('menu').addEventListener('click', () => fold('menu', 'nav'));
    // A menu is done when somebody has chosen.
    byId('nav').addEventListener('click', () => fold('menu', 'nav', true));
  }

  show(selected: number, isSelecting: boolean): void {
    byId('main').classList.toggle('has-selection', selected > 0);
    byId('main').classList.toggle('is-selecting', isSelecting);
    byId('selected-count').textContent = formatNumber(selected);
    this.#button('clear').setAttribute('aria-label', `Deselect ${formatNumber(selected)}`);
    this.#button('several').setAttribute('aria-pressed', String(isSelecting));
  }

  showRatings(ratings: SelectionSummary['ratings'], images: number): void {
    for (const rating of RATINGS)
      this.#button(rating).setAttribute('aria-pressed', String(ratings[rating] === images));
  }

  /** Where the fields are not always in sight. */
  openSheet(): void {
    if (!byId('main').classList.contains('has-sheet')) this.#toggleSheet();
  }

  #toggleSheet(): void {
    const isOpen = byId('main').classList.toggle('has-sheet');
    this.#button('edit').setAttribute('aria-expanded', String(isOpen));
    byId('panel').scrollTop = 0;
    this.#actions.onSheet();
  }

  #button(name: string): HTMLElement {
    return byId('bar').querySelector(`[value="${name}"]`) as HTMLElement;
  }
}

/** Hides what a button shows where the stylesheet for small screens hides it, or shows it if it is hidden. */
function fold(button: string, target: string, isFolded = byId(target).classList.contains('open')): void {
  byId(target).classList.toggle('open', !isFolded);
  byId(button).setAttribute('aria-expanded', String(!isFolded));
}
