/** Adds pictures: drop files and folders, say what they are, and see what became of each. */
import type { Kind, Rating } from '../../src/studio/contract.ts';
import { byId, el } from '../dom.ts';
import { Adding, type Fields, fileThumbnail, pictureName } from './adding.ts';
import { Combobox } from './combobox.ts';
import { type ChosenFile, chosenFiles, filesOf } from './dropped-files.ts';
import { explain, notify } from './notices.ts';
import { RATINGS } from './panel.ts';
import { formatNumber } from './text.ts';

interface Tag {
  kind: Kind;
  name: string;
}

/** As many as fit on a screen or two. */
const MAX_PREVIEWS = 24;
const folderRules = {
  all: 'all folders',
  last: 'the innermost folder',
  none: 'no folder',
};

let files: ChosenFile[] = [];
let tags: Tag[] = [];
const adding = new Adding();
const chosen = el('p', { class: 'quiet', role: 'status' });
const previews = el('ul', { class: 'chosen-files' });
const folderRule = el(
  'select',
  {},
  ...Object.entries(folderRules).map(([value, text]) => el('option', { value }, text)),
);
const folderField = el(
  'label',
  { class: 'field' },
  el('span', {}, 'Folders that are categories'),
  folderRule,
);
const tagList = el('ul', { class: 'entries' });
const rating = el(
  'select',
  {},
  el('option', { value: '' }, 'choose a rating'),
  ...RATINGS.map((name) => el('option', { value: name }, name)),
);

/** Files that are dropped anywhere on the page are to be added; on the filters, one is what others are compared with. */
export function listenForDrops(onAdded: () => void, onCompare: (file: File) => void): void {
  adding.onAdded = onAdded;
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
    else if (event.dataTransfer) void takeDropped(event.dataTransfer);
  });
}

async function takeDropped(data: DataTransfer): Promise<void> {
  try {
    const dropped = await filesOf(data);
    if (dropped.length === 0) return notify('There are no files in what you dropped.');
    location.hash = '#add';
    choose(dropped);
  } catch (error) {
    explain(error);
  }
}

export async function showAdd(): Promise<void> {
  const pick = (label: string, attributes: Record<string, string | boolean>) => {
    const input = el('input', { type: 'file', multiple: true, class: 'visually-hidden', ...attributes });
    input.addEventListener('change', () => {
      choose(chosenFiles(input.files ?? []));
      // So that the same files can be chosen again.
      input.value = '';
    });
    return el('label', { class: 'button' }, label, input);
  };
  const combobox = (title: string, label: string, kind: Kind) => {
    const { element } = new Combobox({
      label,
      kind: () => kind,
      mayCreate: true,
      async onChoose(choosing) {
        const { name } = (await choosing) ?? {};
        if (name === undefined) return;
        // A picture has one artist.
        const others = tags.filter((tag) => tag.kind !== kind || (kind !== 'artist' && tag.name !== name));
        tags = [...others, { kind, name }];
        showTags();
      },
    });
    return el('div', { class: 'field' }, el('span', { 'aria-hidden': 'true' }, title), element);
  };
  byId('lists').replaceChildren(
    el('div', { class: 'filters' }, el('h1', { tabindex: '-1' }, 'Add')),
    el(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Add pictures' },
      el(
        'div',
        { class: 'add' },
        el(
          'div',
          { class: 'drop' },
          el('p', { class: 'quiet' }, 'Drop pictures and folders here, or choose them.'),
          pick('Choose pictures', { accept: 'image/*' }),
          pick('Choose a folder', { webkitdirectory: true }),
          chosen,
        ),
        previews,
        el(
          'div',
          { class: 'choices' },
          el('label', { class: 'field' }, el('span', {}, 'Rating of all of them'), rating),
          combobox('Categories', 'Add a category', 'category'),
          combobox('Characters', 'Add a character', 'character'),
          combobox('Artist', 'Set the artist', 'artist'),
          folderField,
        ),
        tagList,
        el(
          'button',
          { type: 'button', class: 'button strong', click: () => void start() },
          'Add to the catalogue',
        ),
        adding.element,
      ),
    ),
  );
  choose(files);
  showTags();
}

function choose(selected: ChosenFile[]): void {
  const path = ({ file, folders }: ChosenFile) => [...folders, file.name].join('/');
  // As an import finds them: pictures of a folder are neighbours.
  files = selected
    .filter(({ file }) => pictureName.test(file.name))
    .sort((a, b) => (path(a) < path(b) ? -1 : 1));
  const others = selected.length - files.length;
  const count = files.length === 1 ? 'One picture chosen.' : `${formatNumber(files.length)} pictures chosen.`;
  const rest =
    others === 1 ? ' One other file is left out.' : ` ${formatNumber(others)} other files are left out.`;
  chosen.textContent = selected.length === 0 ? '' : `${count}${others > 0 ? rest : ''}`;
  folderField.hidden = files.every(({ folders }) => folders.length === 0);
  const hidden = files.length - MAX_PREVIEWS;
  previews.replaceChildren(
    ...files.slice(0, MAX_PREVIEWS).map(({ file, folders }) => {
      const place = folders.length > 0 ? [el('span', { class: 'quiet' }, folders.join(' / '))] : [];
      return el('li', {}, fileThumbnail(file), el('span', {}, file.name), ...place);
    }),
    ...(hidden > 0 ? [el('li', { class: 'quiet' }, `and ${formatNumber(hidden)} more`)] : []),
  );
}

function showTags(): void {
  tagList.replaceChildren(
    ...tags.map((tag) =>
      el(
        'li',
        {},
        el('span', {}, tag.kind === 'category' ? tag.name : `${tag.kind}: ${tag.name}`),
        el(
          'button',
          {
            type: 'button',
            'aria-label': `Remove ${tag.name}`,
            click: () => {
              tags = tags.filter((other) => other !== tag);
              showTags();
            },
          },
          '×',
        ),
      ),
    ),
  );
}

async function start(): Promise<void> {
  if (files.length === 0 || rating.value === '') {
    notify(files.length === 0 ? 'Choose pictures first.' : 'Choose a rating first.');
    return;
  }
  const named = (wanted: Kind) => tags.filter(({ kind }) => kind === wanted).map(({ name }) => name);
  const [artist] = named('artist');
  const fields: Fields = {
    rating: rating.value as Rating,
    folderCategories: folderRule.value as keyof typeof folderRules,
    category: named('category'),
    character: named('character'),
    ...(artist !== undefined && { artist }),
  };
  const batch = files;
  choose([]);
  await adding.addAll(batch, fields);
}
