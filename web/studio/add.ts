/** Adds pictures: drop files and folders, say what they are, and see what became of each. */
import { byId, el } from '../dom.ts';
import { type Step, upload } from './api.ts';
import { Combobox, type Kind } from './combobox.ts';
import { filesOf } from './dropped-files.ts';
import { hideProgress, notify, showProgress } from './notices.ts';
import { RATINGS } from './panel.ts';
import { showSteps } from './steps.ts';

interface Added {
  added: number;
  updated: number;
  notes: string[];
  /** The import that it belongs to, if anything changed. */
  run?: number;
  steps: Step[];
}

interface Tag {
  kind: Kind;
  name: string;
}

let files: File[] = [];
let tags: Tag[] = [];
let isAdding = false;
let onAdded = () => {};
const results = el('ul', { class: 'added' });
const chosen = el('p', { class: 'quiet', role: 'status' });
const tagList = el('ul', { class: 'entries' });
const rating = el(
  'select',
  {},
  el('option', { value: '' }, 'choose a rating'),
  ...RATINGS.map((name) => el('option', { value: name }, name)),
);

/** Files that are dropped anywhere on the page are to be added. */
export function listenForDrops(onAddedPictures: () => void): void {
  onAdded = onAddedPictures;
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    if (!event.dataTransfer) return;
    void filesOf(event.dataTransfer).then((dropped) => {
      location.hash = '#add';
      choose(dropped);
    });
  });
}

export async function showAdd(): Promise<void> {
  const pick = (label: string, attributes: Record<string, string | boolean>) => {
    const input = el('input', { type: 'file', multiple: true, ...attributes });
    input.addEventListener('change', () => choose([...(input.files ?? [])]));
    return el('label', { class: 'field' }, el('span', {}, label), input);
  };
  const combobox = (label: string, kind: Kind) =>
    new Combobox({
      ...{ label, kind: () => kind, mayCreate: true },
      onChoose({ name }) {
        // A picture has one artist.
        const others = tags.filter((tag) => tag.kind !== kind || (kind !== 'artist' && tag.name !== name));
        tags = [...others, { kind, name }];
        showTags();
      },
    }).element;
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
          pick('Pictures', { accept: 'image/*' }),
          pick('A folder', { webkitdirectory: true }),
          chosen,
        ),
        el('label', { class: 'field' }, el('span', {}, 'Rating of all of them'), rating),
        ...[tagList, combobox('Add a category', 'category'), combobox('Add a character', 'character')],
        combobox('Set the artist', 'artist'),
        el(
          'button',
          { type: 'button', class: 'button strong', click: () => void addAll() },
          'Add to the catalogue',
        ),
        results,
      ),
    ),
  );
  choose(files);
  showTags();
}

function choose(selected: File[]): void {
  files = selected;
  chosen.textContent =
    files.length === 0 ? '' : `${files.length === 1 ? 'One file' : `${files.length} files`} chosen.`;
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
            ...{ type: 'button', 'aria-label': `Remove ${tag.name}` },
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

/** One after the other, so that each has its own result, and what was added stays if one is refused. */
async function addAll(): Promise<void> {
  if (isAdding) return;
  if (files.length === 0 || rating.value === '') {
    notify(files.length === 0 ? 'Choose pictures first.' : 'Choose a rating first.');
    return;
  }
  isAdding = true;
  const [batch, query] = [files, new URLSearchParams({ rating: rating.value })];
  for (const { kind, name } of tags) query.append(kind, name);
  choose([]);
  results.replaceChildren();
  for (const [index, file] of batch.entries()) {
    showProgress({ done: index, total: batch.length });
    results.append(await addOne(file, query));
  }
  hideProgress();
  isAdding = false;
  onAdded();
}

async function addOne(file: File, query: URLSearchParams): Promise<HTMLElement> {
  try {
    const { added, updated, notes, run, steps } = await upload<Added>(
      new URLSearchParams([...query, ['name', file.name]]),
      file,
    );
    // All that were chosen together are one import, and one step.
    if (run !== undefined) query.set('run', String(run));
    showSteps(steps);
    const outcome = added > 0 ? 'added' : updated > 0 ? 'was there already, updated' : 'not added';
    return el(
      'li',
      {},
      `${file.name}: ${outcome}`,
      ...notes.slice(1).map((note) => el('div', { class: 'quiet' }, note)),
    );
  } catch (error) {
    return el('li', { class: 'refused' }, `${file.name}: ${(error as Error).message}`);
  }
}
