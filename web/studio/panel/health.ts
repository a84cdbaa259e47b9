/** What needs attention: while nothing is selected, or on a page of its own. Each line leads to the pictures or entries that it is about. */
import type { Change, Health, Kind } from '../../../src/studio/contract.ts';
import { el } from '../../dom.ts';
import { describeTime } from '../changes/history.ts';
import { get } from '../shared/api.ts';
import { button } from '../shared/elements.ts';
import { countPictures, explain, formatNumber, formatSize, KINDS, plurals } from '../shared/notices.ts';
import { helpTexts } from '../shared/shortcuts.ts';

export interface HealthActions {
  /** Lists the pictures that a value of the list “Show” stands for. */
  showPictures(query: string): void;
  showImport(change: Change): void;
  /** Lists the entries without pictures. */
  showUnused(kind: Kind): void;
}

/** Counting keeps the server from sending pictures, so those in sight come first. */
async function picturesInSight(): Promise<void> {
  // The grid may be about to create its tiles.
  await new Promise(requestAnimationFrame);
  const images = Array.from(document.querySelectorAll<HTMLImageElement>('.tile img'));
  const shown = images.filter((image) => image.getClientRects().length > 0);
  await Promise.allSettled(shown.map((image) => image.decode()));
}

export class HealthPanel {
  readonly element = el('div.health');
  /** Below the numbers, so that it does not move when they come. */
  readonly #help = el('details', el('summary', 'Keys and fingers'), ...helpTexts());
  readonly #actions: HealthActions;
  #isStale = true;

  constructor(actions: HealthActions) {
    this.#actions = actions;
  }

  /** Something changed: the numbers are asked for again when the panel is shown. */
  forget(): void {
    this.#isStale = true;
  }

  async show(): Promise<void> {
    if (!this.#isStale) return;
    this.#isStale = false;
    await picturesInSight();
    try {
      this.#render(await get('/data/health', {}));
    } catch (error) {
      this.#isStale = true;
      explain(error);
    }
  }

  #render(health: Health): void {
    const { images, unrated, withoutArtist, lacking, unused, imports, backup, disks } = health;
    const { showPictures, showImport, showUnused } = this.#actions;
    const pictures = (count: number | undefined, text: string, query: string) => {
      const subject = count === undefined ? 'Pictures' : countPictures(count);
      return count === 0 ? [] : [link(`${subject} ${text}`, () => showPictures(query))];
    };
    const entries = KINDS.flatMap((kind) => {
      const count = unused[kind];
      const text = count === 1 ? `1 ${kind}` : `${formatNumber(count)} ${plurals[kind]}`;
      return count === 0 ? [] : [link(`${text} without pictures`, () => showUnused(kind))];
    });
    const todo = [
      ...pictures(unrated, 'not rated by hand', 'unrated='),
      ...pictures(lacking?.category, 'without a category', 'without=category'),
      ...pictures(withoutArtist, 'by an unknown artist', 'without=artist'),
      ...pictures(lacking?.title, 'without a title', 'lacks=title'),
      ...pictures(lacking?.licence, 'without a licence', 'lacks=licence'),
      ...pictures(lacking?.alt, 'without an alternative text', 'lacks=alt'),
      ...entries,
      ...disks
        .filter(({ isNearlyFull }) => isNearlyFull)
        .map(({ folder }) => `The disk of ${folder} is nearly full`),
      ...(backup || images === 0 ? [] : ['No backup yet']),
      ...(backup?.isOld ? [`No backup since ${ageOf(backup.at)}`] : []),
    ];
    const lines = imports.map((change) => {
      const counted = countPictures(change.added + change.changed);
      const text = `${describeTime(change.at)}: ${counted}`;
      return change.added + change.changed > 0 ? link(text, () => showImport(change)) : text;
    });
    const list = (items: (HTMLElement | string)[]) => el('ul', ...items.map((item) => el('li', item)));
    this.element.replaceChildren(
      el('h3', 'Needs attention'),
      ...(todo.length > 0 ? [list(todo)] : [el('p', praise(images))]),
      ...(lines.length > 0 ? [el('h3', 'Last imports'), list(lines)] : []),
      el('h3', 'Storage'),
      list([
        ...(backup ? [`Last backup ${ageOf(backup.at)}: ${formatSize(backup.bytes)}`] : []),
        ...disks.map(({ free, size }) => `${formatSize(free)} of ${formatSize(size)} free`),
      ]),
      // These take longer, so they wait until somebody asks.
      el('h3', 'Look for'),
      list([
        link('Pictures that look like others', () => showPictures('alike=')),
        link('Damaged files and other problems', () => {
          location.hash = '#review';
        }),
      ]),
      this.#help,
    );
  }
}

const praise = (images: number) =>
  images === 0
    ? 'The catalogue is empty. Drop some pictures on this page to begin.'
    : 'Nothing: every picture is rated and described, and has a category and an artist. Well done.';

function ageOf(at: string): string {
  const days = Math.floor((Date.now() - Date.parse(at)) / 86_400_000);
  return ages.format(-Math.max(0, days), 'day');
}

const ages = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const link = (text: string, click: () => void) => button(text, click, { class: 'link' });
