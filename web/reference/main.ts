/**
 * Makes the reference interactive. Without this script it is complete, but nothing can be tried on it, and the examples call
 * PUBLIC_URL or this machine.
 */
import { readCount } from '../../client/pace.ts';
import { formatQuery } from '../../client/query.ts';
import { byId, el } from '../dom.ts';
import { type EntryKind, formatCount } from '../text.ts';
import { advice, countdown, errorMessage } from './answers.ts';
import { type Answer, call, initToken, readToken, remainingWait } from './calls.ts';
import { copyFrom, initLanguages } from './code-blocks.ts';
import { explainFailure, toggleForm } from './trying.ts';

const contents = document.querySelector('.contents') as HTMLDetailsElement;
const links = [...contents.querySelectorAll<HTMLAnchorElement>('a')];
const filter = byId<HTMLInputElement>('filter');

/** Long enough to type on. */
const PAUSE_MS = 400;
const MAX_SHOWN = 10;

const pattern = byId<HTMLInputElement>('pattern');
const kind = byId<HTMLSelectElement>('pattern-kind');
const matches = byId('matches');
const count = byId('match-count');

let timer: ReturnType<typeof setTimeout> | undefined;
let controller: AbortController | undefined;

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element && target.closest<HTMLButtonElement>('button[data-action]');
  if (!button) return;
  if (button.dataset.action === 'copy') void copyFrom(button);
  else toggleForm(button);
});
/** The page is the same for everyone. */
for (const element of document.querySelectorAll('.origin')) element.textContent = location.origin;
initLanguages();
initContents();
initToken();
initTester();

// The contents next to the text: open on wide screens, filtered by what the reader types, and marked where the reader is.

function initContents(): void {
  keepOpen('(min-width: 64rem)', [contents]);
  keepOpen('(min-width: 80rem)', document.querySelectorAll<HTMLDetailsElement>('.response'));
  filter.addEventListener('input', applyFilter);
  filter.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') links.find((link) => link.checkVisibility())?.click();
  });
  applyFilter();
  observeSections();
}

/** The stylesheet shows them on wide screens anyway. Now assistive technology knows, too. */
function keepOpen(query: string, elements: Iterable<HTMLDetailsElement>): void {
  const wide = matchMedia(query);
  const update = () => {
    for (const element of elements) element.open = wide.matches;
  };
  wide.addEventListener('change', update);
  update();
}

/** By address and summary: each word must be in them. */
function applyFilter(): void {
  const words = filter.value.toLowerCase().split(/\s+/);
  for (const link of links) {
    const text = `${link.textContent} ${link.title}`.toLowerCase();
    (link.parentElement as HTMLElement).hidden = !words.every((word) => text.includes(word));
  }
  for (const group of contents.querySelectorAll<HTMLElement>('nav > div'))
    group.hidden = !group.querySelector('li:not([hidden])');
  byId('no-contents').hidden = contents.querySelector('li:not([hidden])') !== null;
}

/** The current section is the last one that starts above the upper third of the screen. */
function observeSections(): void {
  const linkOf = new Map<Element, HTMLAnchorElement>(links.map((link) => [byId(link.hash.slice(1)), link]));
  const targets = [...document.querySelectorAll('main [id]')].filter((element) => linkOf.has(element));
  const above = new Set<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting) above.add(target);
        else above.delete(target);
      const current = targets.findLast((target) => above.has(target));
      markCurrent(current && linkOf.get(current));
    },
    { rootMargin: '999999px 0px -66% 0px' },
  );
  for (const target of targets) observer.observe(target);
}

function markCurrent(current: HTMLAnchorElement | undefined): void {
  if (current?.hasAttribute('aria-current')) return;
  for (const link of links) link.removeAttribute('aria-current');
  if (!current) return;
  current.setAttribute('aria-current', 'location');
  scrollTo(current);
}

/** Scrolls the contents, never the page. */
function scrollTo(link: HTMLElement): void {
  const { top, bottom } = link.getBoundingClientRect();
  const box = contents.getBoundingClientRect();
  if (top < box.top || bottom > box.bottom) contents.scrollTop += top - (box.top + box.height / 2);
}

// Tries search patterns on the names in this catalogue while the reader types.

function initTester(): void {
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
