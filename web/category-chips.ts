/**
 * Chips that select categories: the selected ones, and the most frequent categories of the images on show. Those need no
 * request, and selecting one more always leaves at least one image.
 */
import { byId, el } from './dom.ts';
import { emptySelection, formatUrl, noFilter, PAGE_SIZE, type Selection, type View } from './route.ts';
import { choiceOf, rankCategories, toggleCategory } from './selection.ts';
import { selectionParts } from './text.ts';
import type { Entry, GalleryImage } from './types.ts';

const MAX_CHIPS = 18;
/** Who made or is on the images. */
const people = ['artists', 'excludeArtists', 'characters'] as const;

type ViewWithChips = Extract<View, Selection | { name: 'category' }>;

const row = byId('categories');
/** Names by frequency, from the images that were shown last. */
let frequent: string[] = [];
let shown: { view: ViewWithChips; selection: Selection } | undefined;

export function hasChips(view: View): view is ViewWithChips {
  return 'categories' in view || view.name === 'category';
}

/** What is selected in the current view, the URL of another selection, and names that are worth suggesting. */
export function getSelection() {
  const { view, selection = emptySelection } = shown ?? {};
  const name = view?.name === 'newest' ? 'newest' : 'random';
  const filter = view?.filter ?? noFilter;
  const urlOf = (selection: Selection) => formatUrl({ name, ...selection, filter });
  return { selection, urlOf, frequent };
}

/** Uses the first page only, so the chips stay when more images load. Without images, the chips of the last ones stay. */
export function showChips(
  view: ViewWithChips,
  subject: Entry | undefined,
  images?: readonly GalleryImage[],
): void {
  if (images) frequent = rankCategories(images.slice(0, PAGE_SIZE));
  shown = { view, selection: selectionOf(view, subject) };
  const { selection, urlOf } = getSelection();
  const focused = row.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
  const createChip = (text: string, type: string, changed: Selection) =>
    el(
      'button',
      {
        type: 'button',
        class: `chip ${type}`,
        dir: 'auto',
        'aria-pressed': String(type !== 'suggested'),
        'data-filter-url': urlOf(changed),
      },
      text,
    );
  const chips = [
    ...selection.categories.map((name) => createChip(name, 'included', toggleCategory(selection, name))),
    ...selection.exclude.map((name) =>
      createChip(`not ${name}`, 'excluded', toggleCategory(selection, name)),
    ),
    ...people
      .filter((field) => selection[field].length > 0)
      .map((field) => {
        const [text = ''] = selectionParts({ ...emptySelection, [field]: selection[field] });
        return createChip(text, 'included', { ...selection, [field]: [] });
      }),
    ...frequent
      .filter((name) => !choiceOf(selection, name))
      .slice(0, MAX_CHIPS)
      .map((name) => createChip(name, 'suggested', toggleCategory(selection, name))),
  ];
  row.replaceChildren(byId('choose-categories'), ...chips);
  trimRow();
  chips.find((chip) => chip.textContent === focused)?.focus();
}

function selectionOf(view: ViewWithChips, subject: Entry | undefined): Selection {
  if (!('categories' in view)) return { ...emptySelection, categories: subject ? [subject.name] : [] };
  const { filter, name, ...selection } = view;
  return selection;
}

/** Hides the suggestions that would need another line, so none is cut off. */
function trimRow(): void {
  const chips = [...row.children] as HTMLElement[];
  for (const chip of chips) chip.hidden = false;
  const tops = chips.map((chip) => chip.offsetTop);
  const lastLine = tops[chips.findLastIndex((chip) => !chip.matches('.suggested'))] ?? 0;
  chips.forEach((chip, index) => {
    chip.hidden = (tops[index] ?? 0) > lastLine;
  });
}

let lastWidth = 0;
new ResizeObserver(() => {
  if (row.clientWidth === lastWidth) return;
  lastWidth = row.clientWidth;
  trimRow();
}).observe(row);
