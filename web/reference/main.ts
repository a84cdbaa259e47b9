/**
 * Makes the reference interactive. Without this script it is complete, but nothing can be tried on it, and the examples call
 * PUBLIC_URL or this machine.
 */
import { byId } from '../dom.ts';
import { initToken } from './calls.ts';
import { copyFrom, initLanguages } from './code-blocks.ts';
import { initTester } from './tester.ts';
import { toggleForm } from './trying.ts';

const contents = document.querySelector('.contents') as HTMLDetailsElement;
const links = [...contents.querySelectorAll<HTMLAnchorElement>('a')];
const filter = byId<HTMLInputElement>('filter');

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
