/** What is known of the selected pictures, and what changes them. */
import type { Changed, ImageEdit, Rating, SelectionSummary } from '../../../src/studio/contract.ts';
import { change, post, Refused } from '../shared/api.ts';
import { explain, notify } from '../shared/notices.ts';
import type { Steps } from './steps.ts';

/** A selection that grows key by key asks for its summary when it rests, and after an edit what is in sight comes first. */
const REST_MS = 40;

/** Pictures, and what is known of them. */
interface Target {
  ids: string[];
  summary: Promise<SelectionSummary>;
  /** As far as it has loaded. */
  known?: SelectionSummary;
}

interface Listener {
  /** The summary of the selected pictures, undefined if none are selected. */
  onSummary(summary: SelectionSummary | undefined, ids: string[]): void;
  onRatings(ratings: SelectionSummary['ratings'], images: number): void;
  /** What is shown of these pictures may be old. */
  onEdited(ids: Set<string>, edits: ImageEdit[]): void;
  /** The list has pictures that no longer exist. */
  onGone(): void;
}

export class Editing {
  readonly #steps: Steps;
  readonly #listener: Listener;
  #target: Target | undefined;
  #request = new AbortController();
  #lastEdit: ImageEdit | Promise<ImageEdit | undefined> | undefined;
  /** The last change when the pictures were listed. Their summaries may know later ones. */
  base = 0;

  constructor(steps: Steps, listener: Listener) {
    this.#steps = steps;
    this.#listener = listener;
    steps.listen({
      onRated: () => this.#showRatings(),
      onEdited: (ids, edits) => {
        listener.onEdited(ids, edits);
        if (this.#target?.ids.some((id) => ids.has(id))) this.#load(this.#target);
      },
    });
  }

  /** What changes apply to now. */
  get target(): Target | undefined {
    return this.#target;
  }

  /** Changes apply to these pictures from now on. */
  select(ids: string[]): void {
    this.#request.abort();
    this.#target = undefined;
    if (ids.length === 0) this.#listener.onSummary(undefined, ids);
    else this.#load({ ids });
  }

  #load(known: Pick<Target, 'ids' | 'known'>): void {
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    const load = () => post('/data/summary', { ids: known.ids }, signal);
    const target: Target = Object.assign(known, {
      // One picture at a time is the usual case, and must not lag.
      summary: known.ids.length > 1 ? rest(REST_MS, signal).then(load) : load(),
    });
    this.#target = target;
    target.summary.then(
      (summary) => {
        target.known = summary;
        if (target !== this.#target) return;
        this.#listener.onSummary(summary, target.ids);
        this.#showRatings();
      },
      (error) => this.#explain(error),
    );
  }

  /** Changes the pictures that are selected now. */
  edit(edit: ImageEdit | Promise<ImageEdit | undefined>): Promise<void> {
    const target = this.#target;
    if (!target) {
      notify('Select a picture first.');
      return Promise.resolve();
    }
    this.#lastEdit = edit;
    // Its turn may come later.
    Promise.resolve(edit).catch(() => {});
    return this.#steps.editImages(target.ids, target.known?.base ?? this.base, edit).catch(explain);
  }

  repeat(): void {
    if (this.#lastEdit) void this.edit(this.#lastEdit);
    else notify('There is no change to repeat.');
  }

  /** To the trash, or for ever. */
  async remove(target: Target, reason: string, isTakeDown: boolean): Promise<void> {
    const { ids } = target;
    try {
      await this.#steps.changeNow(async (): Promise<Changed> => {
        const { version } = await target.summary.catch(() => post('/data/summary', { ids }));
        return change('/change/remove', { ids, version, reason, isTakeDown });
      });
      this.#listener.onGone();
    } catch (error) {
      this.#explain(error);
      if (target === this.#target) this.#load(target);
    }
  }

  /** Those that are not saved yet, if all pictures have one. */
  #showRatings(): void {
    const { known, ids = [] } = this.#target ?? {};
    if (!known) return;
    const { outbox } = this.#steps;
    const isRated = ids.every((id) => outbox.ratingOf(id) !== undefined);
    const counts: SelectionSummary['ratings'] = {};
    if (isRated)
      for (const id of ids) {
        const rating = outbox.ratingOf(id) as Rating;
        counts[rating] = (counts[rating] ?? 0) + 1;
      }
    this.#listener.onRatings(isRated ? counts : known.ratings, ids.length);
  }

  #explain(error: unknown): void {
    explain(error);
    if (error instanceof Refused && error.details.missing) this.#listener.onGone();
  }
}

/** Rejects if the signal is aborted meanwhile. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
