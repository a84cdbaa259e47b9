/** Changes the selected pictures, one change after the other, each based on what the page last knew of them. */
import type { Changed, ImageEdit, SelectionSummary } from '../../src/studio/contract.ts';
import { change, post, Refused } from './api.ts';
import { explain, hideProgress, notify, showProgress } from './notices.ts';
import { inTurn, onUndone, showSteps } from './steps.ts';

/** Pictures, and what is known of them. */
interface Target {
  ids: string[];
  summary: Promise<SelectionSummary>;
  /** This page has changed some of them since then. */
  isOld?: boolean;
  /** How often a change was refused, because somebody else had changed them. */
  refusals?: number;
}

/** Changes pictures that have this version; undefined if there is nothing to change. */
type Save = (target: { ids: string[]; version: string }) => Promise<Changed | undefined>;

interface Listener {
  /** The summary of the selected pictures, undefined if none are selected. */
  onSummary(summary: SelectionSummary | undefined, ids: string[]): void;
  onChanged(ids: string[]): void;
  /** The list has pictures that no longer exist. */
  onGone(): void;
}

export class Editing {
  readonly #listener: Listener;
  #target: Target | undefined;
  #request = new AbortController();
  /** For each change that waits for others. */
  readonly #waiting = new Set<{ target: Target }>();
  #lastEdit: ImageEdit | Promise<ImageEdit | undefined> | undefined;

  constructor(listener: Listener) {
    this.#listener = listener;
    onUndone(() => this.#outdate(() => true));
  }

  /** What changes apply to now. */
  get target(): Target | undefined {
    return this.#target;
  }

  /** Changes apply to these pictures from now on. What is known of them is asked for after the delay. */
  select(ids: string[], delayMs = 0): void {
    this.#request.abort();
    this.#request = new AbortController();
    if (ids.length === 0) {
      this.#target = undefined;
      this.#listener.onSummary(undefined, ids);
      return;
    }
    const { signal } = this.#request;
    const load = () => post('/data/summary', { ids }, signal);
    const target = { ids, summary: delayMs > 0 ? rest(delayMs, signal).then(load) : load() };
    this.#target = target;
    target.summary.then(
      (summary) => this.#show(target, summary),
      (error) => this.#explain(error),
    );
  }

  /** Changes the pictures that are selected now. Returns when it is saved; false if it was refused. */
  edit(edit: ImageEdit | Promise<ImageEdit | undefined>): Promise<boolean> {
    this.#lastEdit = edit;
    // Its turn may come later.
    Promise.resolve(edit).catch(() => {});
    return this.#change(async (target) => {
      const known = await edit;
      return known && change('/change/images', { ...target, edit: known }, showProgress);
    });
  }

  repeat(): Promise<boolean> {
    if (this.#lastEdit) return this.edit(this.#lastEdit);
    notify('There is no change to repeat.');
    return Promise.resolve(false);
  }

  /** To the trash, or for ever. */
  async remove(target: Target, reason: string, isTakeDown: boolean): Promise<void> {
    const isDone = await this.#enqueue(target, (known) =>
      change('/change/remove', { ...known, reason, isTakeDown }, showProgress),
    );
    if (isDone) this.#listener.onGone();
  }

  #change(save: Save): Promise<boolean> {
    const target = this.#target;
    if (!target) {
      notify('Select a picture first.');
      return Promise.resolve(false);
    }
    return this.#enqueue(target, save);
  }

  #enqueue(target: Target, save: Save): Promise<boolean> {
    const waiting = { target };
    const { refusals } = target;
    this.#waiting.add(waiting);
    // After a refusal, somebody has to look again before the next change.
    const run = async () => target.refusals === refusals && this.#run(target, save);
    return inTurn(run).finally(() => this.#waiting.delete(waiting));
  }

  #outdate(isChanged: (id: string) => boolean): void {
    for (const target of [this.#target, ...[...this.#waiting].map((waiting) => waiting.target)])
      if (target?.ids.some(isChanged)) target.isOld = true;
  }

  async #run(target: Target, save: Save): Promise<boolean> {
    const { ids } = target;
    try {
      const result = await save({ ids, version: (await this.#known(target)).version });
      if (!result) return false;
      showSteps(result.steps);
      const changed = new Set(ids);
      this.#outdate((id) => changed.has(id));
      if (this.#target !== target && this.#target?.isOld) this.select(this.#target.ids);
      if (result.summary) this.#show(target, result.summary);
      this.#listener.onChanged(ids);
      return true;
    } catch (error) {
      if (error instanceof Refused && error.details.summary) {
        target.refusals = (target.refusals ?? 0) + 1;
        this.#show(target, error.details.summary);
      }
      this.#explain(error);
      return false;
    } finally {
      hideProgress();
    }
  }

  /** The pictures may not be selected any more, and their summary not loaded. */
  async #known({ ids, summary, isOld }: Target): Promise<SelectionSummary> {
    const loaded = isOld ? undefined : await summary.catch(() => undefined);
    return loaded ?? post('/data/summary', { ids });
  }

  #show(target: Target, summary: SelectionSummary): void {
    target.summary = Promise.resolve(summary);
    target.isOld = false;
    if (target === this.#target) this.#listener.onSummary(summary, target.ids);
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
