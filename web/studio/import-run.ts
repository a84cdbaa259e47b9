/** An import, and words for it. */
import { get } from './api.ts';
import { formatNumber } from './text.ts';

export interface ImportRun {
  id: number;
  at: string;
  source: string;
  origin: 'command' | 'studio';
  added: number;
  changed: number;
  removed: number;
  entries: number;
  state: 'revertible' | 'reverted' | 'forgotten';
}

export interface ImportActions {
  /** Shows the pictures of an import. */
  show(run: ImportRun): void;
  onReverted(): void;
}

const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const shortTimes = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
});

/** The newest one first. */
export const loadImports = () => get<ImportRun[]>('/data/imports');
export const describeTime = ({ at }: ImportRun) => times.format(new Date(at));
/** Several imports may be of the same minute. */
export const describeOption = ({ at, added, changed }: ImportRun) =>
  `import of ${shortTimes.format(new Date(at))} (${formatNumber(added + changed)})`;
export const describeSource = ({ origin, source }: ImportRun) =>
  origin === 'studio' ? 'Added in the studio' : source;
