/** The last imports: what each changed, its pictures, and a way to revert it. */
import { el } from '../dom.ts';
import { describeSource, describeTime, type ImportActions, type ImportRun } from './import-run.ts';
import { askRevert } from './revert-dialog.ts';
import { countPictures, formatNumber } from './text.ts';

const FIRST_SHOWN = 5;
const states = { revertible: '', reverted: 'Reverted', forgotten: 'Can’t be reverted any more' };

/** The first ones of a section, and a button for the others. */
export function importList(runs: ImportRun[], actions: ImportActions): HTMLElement {
  if (runs.length === 0)
    return el('p', { class: 'quiet' }, 'No import is recorded. Those of earlier versions are not listed.');
  const list = el('ul', { class: 'imports' }, ...runs.slice(0, FIRST_SHOWN).map((run) => row(run, actions)));
  if (runs.length <= FIRST_SHOWN) return list;
  const showAll = () => {
    const more = runs.slice(FIRST_SHOWN).map((run) => row(run, actions));
    list.append(...more);
    button.remove();
    more[0]?.querySelector('button')?.focus();
  };
  const button = el(
    'button',
    { type: 'button', class: 'button small', click: showAll },
    `Show all ${runs.length}`,
  );
  return el('div', {}, list, button);
}

function row(run: ImportRun, actions: ImportActions): HTMLElement {
  const time = describeTime(run);
  const button = (label: string, press: () => void) =>
    el(
      'button',
      {
        type: 'button',
        class: 'button small',
        'aria-label': `${label} of the import of ${time}`,
        click: press,
      },
      label,
    );
  const state = states[run.state];
  return el(
    'li',
    {},
    el('p', {}, describeChanges(run)),
    el('p', { class: 'quiet' }, el('time', { datetime: run.at }, time), ` · ${describeSource(run)}`),
    el(
      'div',
      { class: 'actions' },
      ...(state ? [el('span', { class: 'quiet' }, state)] : []),
      ...(run.added + run.changed > 0 ? [button('Show pictures', () => actions.show(run))] : []),
      ...(run.state === 'revertible' ? [button('Revert…', () => void askRevert(run, actions))] : []),
    ),
  );
}

function describeChanges({ added, changed, removed, entries }: ImportRun): string {
  const parts = [
    [added, 'added'],
    [changed, 'changed'],
    [removed, 'removed'],
  ] as const;
  const [first, ...more] = parts.filter(([count]) => count > 0);
  const words = [
    ...(first ? [`${countPictures(first[0])} ${first[1]}`] : []),
    ...more.map(([count, verb]) => `${formatNumber(count)} ${verb}`),
    ...(entries > 0 ? [entries === 1 ? '1 entry' : `${formatNumber(entries)} entries`] : []),
  ];
  return words.join(', ') || 'Decisions only';
}
