/** The pictures that were removed. Those of this session can be restored until their files are deleted. */
import { byId, el } from '../dom.ts';
import { change, get, type Step } from './api.ts';
import { explain, notify } from './notices.ts';
import { currentSteps, showSteps, undo } from './steps.ts';
import { countPictures, formatNumber } from './text.ts';

interface Removed {
  id: string;
  removedAt: string;
  reason: string;
}

const MAX_SHOWN = 500;
const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export async function showRemoved(): Promise<void> {
  try {
    render(await get<Removed[]>('/data/removed'));
  } catch (error) {
    explain(error);
  }
}

function render(removed: Removed[]): void {
  const steps = new Map(
    currentSteps().flatMap((step) => (step.removed ?? []).map((id) => [id, step] as const)),
  );
  const purge = el(
    'button',
    {
      type: 'button',
      class: 'button small',
      click: () => void run('/change/purge', {}, 'The files are deleted.'),
    },
    'Delete their files now',
  );
  const head = ['Removed', 'Reason', 'Id'].map((text) => el('th', { scope: 'col' }, text));
  const rows = removed.slice(0, MAX_SHOWN).map((picture) => row(picture, steps.get(picture.id)));
  byId('lists').replaceChildren(
    el(
      'div',
      { class: 'filters' },
      el('h1', { tabindex: '-1' }, 'Removed'),
      el('p', { class: 'quiet' }, describe(removed.length)),
      ...(steps.size > 0 ? [purge] : []),
    ),
    el(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Removed pictures' },
      ...(rows.length > 0
        ? [el('table', {}, el('thead', {}, el('tr', {}, ...head, el('td', {}))), el('tbody', {}, ...rows))]
        : []),
    ),
  );
}

function describe(count: number): string {
  if (count === 0) return 'Nothing was removed.';
  const shown = count > MAX_SHOWN ? `, the last ${MAX_SHOWN} shown` : '';
  return `${formatNumber(count)} remembered, so that imports do not add them again${shown}`;
}

function row({ id, removedAt, reason }: Removed, step: Step | undefined): HTMLElement {
  const pictures = step?.removed?.length ?? 0;
  const [label, act] = step
    ? [
        pictures > 1 ? `Restore (${countPictures(pictures)})` : 'Restore',
        () => void undo(step).then(showRemoved),
      ]
    : ['Allow again', () => void run('/change/allow', { ids: [id] }, 'Imports may add the picture again.')];
  return el(
    'tr',
    {},
    el('td', {}, times.format(new Date(removedAt))),
    el('td', {}, reason),
    el('td', { class: 'quiet' }, id),
    el('td', {}, el('button', { type: 'button', class: 'button small', click: act }, label)),
  );
}

async function run(path: string, body: object, message: string): Promise<void> {
  try {
    showSteps((await change<{ steps: Step[] }>(path, body)).steps);
    notify(message);
  } catch (error) {
    explain(error);
  }
  await showRemoved();
}
