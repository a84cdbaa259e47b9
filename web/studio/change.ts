/** Words for a change of the log. */
import type { Change } from '../../src/studio/contract.ts';
import { get } from './api.ts';
import { formatNumber } from './text.ts';

export const ORIGINS = { import: 'import', shell: 'command', studio: 'studio' };

const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const shortTimes = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
});

/** The newest one first. */
export const loadImports = () => get('/data/imports', {});
export const describeTime = (at: string) => times.format(new Date(at));
/** Several imports may be of the same minute. */
export const describeOption = ({ at, added, changed }: Change) =>
  `import of ${shortTimes.format(new Date(at))} (${formatNumber(added + changed)})`;
/** Who made it, and what was imported. */
export function describeOrigin({ origin, user, source }: Change): string {
  return [ORIGINS[origin], user, source].filter(Boolean).join(' · ');
}
