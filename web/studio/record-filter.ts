/** Filters by what no shelf tells, such as a title: the pictures of a list are searched slice by slice. */
import type { RequestTo } from '../../src/studio/contract.ts';
import { byId, el } from '../dom.ts';
import { post } from './api.ts';
import type { IdList } from './id-list.ts';
import { hideProgress, notify, showProgress } from './notices.ts';
import { formatNumber } from './text.ts';

export type RecordFilter = RequestTo<'/data/matches'>['filter'];

/** As many as the server reads at once. */
const SLICE_SIZE = 2000;
/** More than anyone looks at: the search ends there. */
const MAX_FOUND = 10_000;

/** By the name in the address: the label, the type, and what a chip says. */
const fields = {
  title: ['Title', 'search', 'title: '],
  path: ['File name or path', 'search', 'file: '],
  since: ['Added since', 'date', 'since '],
  until: ['Added until', 'date', 'until '],
  min: ['Longer side at least (px)', 'number', 'at least px: '],
  max: ['Longer side at most (px)', 'number', 'at most px: '],
} as const;
type Field = keyof typeof fields;
type Values = Partial<Record<Field, string>>;

export function recordFields(onChange: () => void) {
  const names = Object.keys(fields) as Field[];
  const inputs = names.map((name) => {
    const [, type] = fields[name];
    const bounds = type === 'number' ? { min: 0, max: 1_000_000 } : { maxlength: 200 };
    return el('input', { type, name, ...bounds, change: onChange });
  });
  const labelled = inputs.map((input) =>
    el('label', { class: 'field' }, el('span', {}, fields[input.name as Field][0]), input),
  );
  return {
    element: el('div', { class: 'fields' }, ...labelled),
    /** Only those that a browser accepts: a date of an address may be anything. */
    get values(): Values {
      const valid = inputs.filter((input) => input.value.trim() !== '' && input.checkValidity());
      return Object.fromEntries(valid.map(({ name, value }) => [name, value.trim()]));
    },
    set values(values: Values) {
      for (const input of inputs) input.value = values[input.name as Field] ?? '';
    },
    describe(): [Field, string][] {
      const values = Object.entries(this.values) as [Field, string][];
      return values.map(([name, value]) => [name, `${fields[name][2]}${value}`]);
    },
  };
}

/** For people who cannot drop a picture. */
export function pictureField(onPicture: (file: File) => void): HTMLElement {
  const input = el('input', { type: 'file', accept: 'image/*', class: 'visually-hidden' });
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) onPicture(file);
    // So that the same picture can be chosen again.
    input.value = '';
  });
  return el(
    'p',
    { class: 'by-picture quiet' },
    el('label', { class: 'button small' }, 'Look-alikes of a picture…', input),
    'or drop it on the filters',
  );
}

/** Days are those of this clock, and the last one counts. Undefined if nothing is filtered. */
export function toRecordFilter({ title, path, since, until, min, max }: Values): RecordFilter | undefined {
  const day = (text: string, plus: number) => {
    const date = new Date(`${text}T00:00`);
    date.setDate(date.getDate() + plus);
    return date.toISOString();
  };
  const filter = {
    ...(title && { title }),
    ...(path && { path }),
    ...(since && { since: day(since, 0) }),
    ...(until && { before: day(until, 1) }),
    ...(min && { minSide: Number(min) }),
    ...(max && { maxSide: Number(max) }),
  };
  return Object.keys(filter).length > 0 ? filter : undefined;
}

/** The newest pictures of the list that the filter matches. */
export async function search(list: IdList, filter: RecordFilter, signal: AbortSignal): Promise<IdList> {
  byId('count').textContent = 'Searching…';
  let positions: number[] = [];
  let end = list.length;
  try {
    while (end > 0 && positions.length < MAX_FOUND) {
      showProgress({ done: list.length - end, total: list.length });
      const first = Math.max(0, end - SLICE_SIZE);
      const ids = Array.from({ length: end - first }, (_, offset) => list.at(first + offset));
      const matches = await post('/data/matches', { ids, filter }, signal);
      positions = [...matches.map((position) => first + position), ...positions];
      end = first;
    }
  } finally {
    // Otherwise another search has begun.
    if (!signal.aborted) hideProgress();
  }
  if (end > 0 || positions.length > MAX_FOUND)
    notify(`These are the newest ${formatNumber(MAX_FOUND)}. Use more filters to find others.`);
  return list.pick(positions.slice(-MAX_FOUND));
}
