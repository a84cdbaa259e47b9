/** A change of the log, and words for it. */
import { get } from './api.ts';
import { formatNumber } from './text.ts';

export interface Change {
  number: number;
  at: string;
  origin: 'import' | 'shell' | 'studio';
  user: string;
  summary: string;
  /** The paths that were imported; empty if pictures were added in the studio. Null if it is no import. */
  source: string | null;
  added: number;
  changed: number;
  removed: number;
  entries: number;
  /** How many things have an old and a new state. */
  items: number;
  undoes: number | null;
  state: 'done' | 'undone' | 'forgotten' | 'final';
}

export const ORIGINS = { import: 'import', shell: 'command', studio: 'studio' };

const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const shortTimes = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
});

/** The newest one first. */
export const loadImports = () => get<Change[]>('/data/imports');
export const describeTime = (at: string) => times.format(new Date(at));
/** Several imports may be of the same minute. */
export const describeOption = ({ at, added, changed }: Change) =>
  `import of ${shortTimes.format(new Date(at))} (${formatNumber(added + changed)})`;
/** Who made it, and what was imported. */
export function describeOrigin({ origin, user, source }: Change): string {
  return [ORIGINS[origin], user, source].filter(Boolean).join(' · ');
}
