/** Tries search patterns on the names in this catalogue while the reader types. */
import { readCount } from '../../client/pace.ts';
import { formatQuery } from '../../client/query.ts';
import { byId, el } from '../dom.ts';
import { type EntryKind, formatCount } from '../text.ts';
import { advice, countdown, errorMessage } from './answers.ts';
import { type Answer, call, readToken, remainingWait } from './calls.ts';
import { explainFailure } from './trying.ts';

/** Long enough to type on. */
const PAUSE_MS = 400;
const MAX_SHOWN = 10;

const pattern = byId<HTMLInputElement>('pattern');
const kind = byId<HTMLSelectElement>('pattern-kind');
const matches = byId('matches');
const count = byId('match-count');

let timer: ReturnType<typeof setTimeout> | undefined;
let controller: AbortController | undefined;

export function initTester(): void {
  pattern.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE_MS);
  });
  kind.addEventListener('change', search);
  byId('tester').addEventListener('submit', (event) => {
    event.preventDefault();
    search();
  });
  for (const chip of document.querySelectorAll<HTMLButtonElement>('.suggestions button'))
    chip.addEventListener('click', () => {
      pattern.value = chip.textContent;
      kind.value = chip.value;
      search();
    });
}

/** Only the latest pattern matters. */
async function search(): Promise<void> {
  clearTimeout(timer);
  controller?.abort();
  controller = new AbortController();
  const { signal } = controller;
  const [text, name] = [pattern.value, kind.value];
  if (text === '') return show([], '');
  const seconds = Math.ceil(remainingWait() / 1000);
  if (seconds > 2) show([el('p', {}, 'Waiting for the rate limit: ', countdown(seconds))], '');
  try {
    const token = readToken();
    const prefix = matches.closest<HTMLElement>('.tester')?.dataset.prefix ?? '';
    const path = `${prefix}/${name}${formatQuery({ search: text, limit: MAX_SHOWN })}`;
    const answer = await call(path, token, signal);
    if (signal.aborted) return;
    const message = errorMessage(answer);
    if (message === undefined) showMatches(answer, name);
    else
      show([...markMistake(text, message), el('p', {}, ...advice(answer, token ? 'sent' : 'none'))], message);
  } catch (error) {
    if (!signal.aborted) show([], explainFailure(error));
  }
}

function show(nodes: Node[], text: string): void {
  matches.replaceChildren(...nodes);
  count.textContent = text;
}

function showMatches({ headers, text }: Answer, name: string): void {
  const entries: { id: string; name: string }[] = JSON.parse(text).data;
  const total = readCount(headers, 'X-Total-Count');
  const plural = kind.selectedOptions[0]?.text as EntryKind;
  const items = entries.map((entry) =>
    el('li', {}, el('a', { href: `/?${name}=${encodeURIComponent(entry.id)}` }, entry.name)),
  );
  const rest = total > entries.length ? `, the first ${entries.length} are shown` : '';
  show(
    items.length > 0 ? [el('ul', {}, ...items)] : [],
    `${total === 0 ? `No ${plural}` : formatCount(total, plural)} found${rest}.`,
  );
}

/** Shows where the pattern is wrong. Positions count code points, from 1; one past the end is possible. */
function markMistake(text: string, message: string): Node[] {
  const [, position] = /at character (\d+)/.exec(message) ?? [];
  if (position === undefined) return [];
  const characters = [...text];
  const index = Number(position) - 1;
  return [
    el(
      'p',
      { class: 'mistake', 'aria-hidden': 'true' },
      characters.slice(0, index).join(''),
      el('mark', {}, characters[index] ?? ' '),
      characters.slice(index + 1).join(''),
    ),
  ];
}
