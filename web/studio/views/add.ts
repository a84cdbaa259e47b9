/** Adds pictures: drop files and folders, say what they are, and see what became of each. */
import type { Kind, Rating } from '../../../src/studio/contract.ts';
import { el } from '../../dom.ts';
import { RATINGS } from '../panel/panel.ts';
import type { Steps } from '../saving/steps.ts';
import { Combobox } from '../shared/combobox.ts';
import { button, choice, field, fileButton, showPage } from '../shared/elements.ts';
import { explain, formatNumber, notify } from '../shared/notices.ts';
import {
  Adding,
  type ChosenFile,
  chosenFiles,
  type Fields,
  filesOf,
  fileThumbnail,
  pictureName,
} from './adding.ts';

interface Tag {
  kind: Kind;
  name: string;
}

/** As many as fit on a screen or two. */
const MAX_PREVIEWS = 24;
const folderRules = {
  meaningful: 'all folders, but none like “Camera” or “New Folder”',
  all: 'all folders',
  last: 'the innermost folder',
  none: 'no folder',
};

export class AddPage {
  readonly #adding: Adding;
  readonly #chosen = el('p.quiet', { role: 'status' });
  readonly #previews = el('ul.chosen-files');
  readonly #folderRule = choice(folderRules);
  readonly #folderField = field('Folders that are categories', this.#folderRule);
  readonly #tagList = el('ul.entries');
  readonly #rating = choice({
    '': 'choose a rating',
    ...Object.fromEntries(RATINGS.map((name) => [name, name])),
  });
  #files: ChosenFile[] = [];
  #tags: Tag[] = [];

  /** Files that are dropped anywhere on the page are to be added; on the filters, one is what others are compared with. */
  constructor(steps: Steps, onAdded: () => void, onCompare: (file: File) => void) {
    this.#adding = new Adding(steps, onAdded);
    const mark = (isOver: boolean) => document.body.classList.toggle('dropping', isOver);
    addEventListener('dragover', (event) => {
      event.preventDefault();
      mark(event.dataTransfer?.types.includes('Files') ?? false);
    });
    addEventListener('dragleave', (event) => {
      // Others only go from one element to the next.
      if (!event.relatedTarget) mark(false);
    });
    addEventListener('drop', (event) => {
      event.preventDefault();
      mark(false);
      const [file] = event.dataTransfer?.files ?? [];
      const isCompared = (event.target as Element).closest('#pictures .filters');
      if (isCompared && file) onCompare(file);
      else if (event.dataTransfer) void this.#takeDropped(event.dataTransfer);
    });
  }

  async #takeDropped(data: DataTransfer): Promise<void> {
    try {
      const dropped = await filesOf(data);
      if (dropped.length === 0) return notify('There are no files in what you dropped.');
      location.hash = '#add';
      this.#choose(dropped);
    } catch (error) {
      explain(error);
    }
  }

  async show(): Promise<void> {
    const pick = (label: string, attributes: Record<string, string | boolean>) =>
      fileButton(label, 'button', { multiple: true, ...attributes }, (files) =>
        this.#choose(chosenFiles(files)),
      );
    const combobox = (title: string, label: string, kind: Kind) => {
      const { element } = new Combobox({
        label,
        kind: () => kind,
        mayCreate: true,
        onChoose: async (choosing) => {
          const { name } = (await choosing) ?? {};
          if (name === undefined) return;
          // A picture has one artist.
          const others = this.#tags.filter(
            (tag) => tag.kind !== kind || (kind !== 'artist' && tag.name !== name),
          );
          this.#tags = [...others, { kind, name }];
          this.#showTags();
        },
      });
      return el('div.field', el('span', { 'aria-hidden': 'true' }, title), element);
    };
    const drop = el(
      'div.drop',
      el('p.quiet', 'Drop pictures and folders here, or choose them.'),
      pick('Choose pictures', { accept: 'image/*' }),
      pick('Choose a folder', { webkitdirectory: true }),
      this.#chosen,
    );
    const choices = el(
      'div.choices',
      field('Rating of all of them', this.#rating),
      combobox('Categories', 'Add a category', 'category'),
      combobox('Characters', 'Add a character', 'character'),
      combobox('Artist', 'Set the artist', 'artist'),
      this.#folderField,
    );
    const start = button('Add to the catalogue', () => void this.#start(), { class: 'button strong' });
    const parts = [drop, this.#previews, choices, this.#tagList, start, this.#adding.element];
    showPage('Add', [], 'Add pictures', el('div.add', ...parts));
    this.#choose(this.#files);
    this.#showTags();
  }

  #choose(selected: ChosenFile[]): void {
    const path = ({ file, folders }: ChosenFile) => [...folders, file.name].join('/');
    // As an import finds them: pictures of a folder are neighbours.
    this.#files = selected
      .filter(({ file }) => pictureName.test(file.name))
      .sort((a, b) => (path(a) < path(b) ? -1 : 1));
    const others = selected.length - this.#files.length;
    const count =
      this.#files.length === 1
        ? 'One picture chosen.'
        : `${formatNumber(this.#files.length)} pictures chosen.`;
    const rest =
      others === 1 ? ' One other file is left out.' : ` ${formatNumber(others)} other files are left out.`;
    this.#chosen.textContent = selected.length === 0 ? '' : `${count}${others > 0 ? rest : ''}`;
    this.#folderField.hidden = this.#files.every(({ folders }) => folders.length === 0);
    const hidden = this.#files.length - MAX_PREVIEWS;
    this.#previews.replaceChildren(
      ...this.#files.slice(0, MAX_PREVIEWS).map(({ file, folders }) => {
        const place = folders.length > 0 ? [el('span.quiet', folders.join(' / '))] : [];
        return el('li', fileThumbnail(file), el('span', file.name), ...place);
      }),
      ...(hidden > 0 ? [el('li.quiet', `and ${formatNumber(hidden)} more`)] : []),
    );
  }

  #showTags(): void {
    const remove = (tag: Tag) => () => {
      this.#tags = this.#tags.filter((other) => other !== tag);
      this.#showTags();
    };
    this.#tagList.replaceChildren(
      ...this.#tags.map((tag) =>
        el(
          'li',
          el('span', tag.kind === 'category' ? tag.name : `${tag.kind}: ${tag.name}`),
          button('×', remove(tag), { class: undefined, 'aria-label': `Remove ${tag.name}` }),
        ),
      ),
    );
  }

  async #start(): Promise<void> {
    if (this.#files.length === 0 || this.#rating.value === '') {
      notify(this.#files.length === 0 ? 'Choose pictures first.' : 'Choose a rating first.');
      return;
    }
    const named = (wanted: Kind) => this.#tags.filter(({ kind }) => kind === wanted).map(({ name }) => name);
    const [artist] = named('artist');
    const fields: Fields = {
      rating: this.#rating.value as Rating,
      folderCategories: this.#folderRule.value as keyof typeof folderRules,
      category: named('category'),
      character: named('character'),
      ...(artist !== undefined && { artist }),
    };
    const batch = this.#files;
    this.#choose([]);
    await this.#adding.addAll(batch, fields);
  }
}
