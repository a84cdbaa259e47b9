/**
 * What happened to images since a reader last asked, from the change log: in the order of the changes, each image as it is now. Of one
 * change, first its items, and then the images that it added.
 */
import type { Caller, ChangePosition, ImageChanges } from '../../catalogue/catalogue.ts';
import type { Documents } from '../document-cache/cache.ts';
import { type Call, type ChangeRow, get, type View } from '../view.ts';
import type { ImageNumbers } from './image-numbers.ts';
import { onShelf } from './selection.ts';

const ITEMS_PER_READ = 100;
/** How many changes one call reads. Some are about no image. */
const MAX_CHANGES = 20;

const NO_ITEM = { kind: '', id: '', below: 0 };
/** After all kinds of items. */
const ALL_ITEMS = { kind: '~', id: '', below: 0 };

interface Found {
  change: 'added' | 'changed' | 'removed';
  /** Of an image that was removed. */
  id?: string;
  /** Of any other image. */
  number?: number;
}

/** Without a position, begins with all images. Undefined if the log no longer says what happened since. */
export function* readChangedImages(
  view: View,
  numbers: ImageNumbers,
  documents: Documents,
  since: ChangePosition | undefined,
  limit: number,
  caller: Caller,
): Call<ImageChanges | undefined> {
  const found: Found[] = [];
  let position = since ?? (yield* beforeAllImages(view));
  let hasMore = true;
  for (let changes = 0; changes < MAX_CHANGES && found.length < limit && hasMore; changes++) {
    const [current, next] = yield* readChanges(view, position);
    if (!current) return undefined;
    const [, , , lastImage, state, isOpen] = current;
    if (state === 'forgotten' && position.kind !== ALL_ITEMS.kind) return undefined;
    position = yield* readItems(view, numbers, position, found, limit, caller);
    const added = yield* get(view.list('imagesBetween', position.image, lastImage, limit - found.length));
    for (const number of added) found.push({ change: 'added', number });
    position = { ...position, image: added.at(-1) ?? position.image };
    if (found.length === limit) break;
    hasMore = next !== undefined;
    if (next) position = startOf(next);
    // An import in the studio may go on, and change its items: they are read again.
    else if (isOpen === 1) position = { ...position, ...NO_ITEM };
  }
  const images = (yield* documents.read(
    view,
    found.flatMap(({ number }) => number ?? []),
  )).values();
  const changes = found.map(({ change, id = '', number }) => {
    const image = number === undefined ? undefined : images.next().value;
    return { change, id: image?.id ?? id, image };
  });
  return { changes, next: position, hasMore };
}

/** Adds what the items of a change are about, and returns the position after the last one. */
function* readItems(
  view: View,
  numbers: ImageNumbers,
  from: ChangePosition,
  found: Found[],
  limit: number,
  caller: Caller,
): Call<ChangePosition> {
  let position = from;
  while (position.kind !== ALL_ITEMS.kind) {
    const items = yield* get(
      view.list('changedItems', position.change, position.kind, position.id, ITEMS_PER_READ),
    );
    for (const item of items) {
      const [kind, id, image, before, after] = item;
      const isContinued = kind === position.kind && id === position.id;
      if (isContinued && position.below === 0) continue;
      if (found.length === limit) return position;
      const below = isContinued ? position.below : undefined;
      position = { ...position, kind, id, below: 0 };
      if (kind !== 'image' && kind !== 'taken-down') {
        const isSame = documentOf(before) === documentOf(after);
        const selection = isSame ? undefined : yield* onShelf(view, kind, id);
        if (!selection) continue;
        const page = yield* numbers.latest(selection, below, limit - found.length, caller);
        for (const number of page.numbers) found.push({ change: 'changed', number });
        if (page.next !== undefined) return { ...position, below: page.next };
      } else if (image === null) found.push({ change: 'removed', id });
      else found.push({ change: before === null ? 'added' : 'changed', number: image });
    }
    if (items.length < ITEMS_PER_READ) position = { ...position, ...ALL_ITEMS };
  }
  return position;
}

/** What the records of images contain of an entry. */
function documentOf(fields: string | null): string | undefined {
  return fields === null ? undefined : JSON.parse(fields).document;
}

/** After all changes. */
function* beforeAllImages(view: View): Call<ChangePosition> {
  const [newest] = yield* get(view.list('newestChange'));
  return { ...startOf(newest ?? beforeFirst(view)), ...ALL_ITEMS, image: 0 };
}

/** The change of a position, unless it is forgotten or another one has its number after a restore, and the change after it. */
function* readChanges(view: View, { change, at }: ChangePosition): Call<(ChangeRow | undefined)[]> {
  const rows = yield* get(view.list('changesFrom', Math.max(1, change)));
  const first = rows[0] && startOf(rows[0]);
  if (change === 0) return !first || first.change === 1 ? [beforeFirst(view, rows[0]), rows[0]] : [];
  return first?.change === change && first.at === at ? rows : [];
}

/** Stands for the changes before the first one, whose images nobody remembers adding. */
function beforeFirst({ snapshot: { lastImage } }: View, first?: ChangeRow): ChangeRow {
  return [0, '', 1, first ? startOf(first).image : lastImage, 'done', 0];
}

function startOf([number, at, firstImage]: ChangeRow): ChangePosition {
  return { change: number, at: Date.parse(at) || 0, ...NO_ITEM, image: firstImage - 1 };
}
