/** The steps that can be undone. The studio keeps them, so that they survive a reload of the page. */
import type { ImportRun } from '../store/contract/import-runs.ts';
import { ChangeRecord } from './change-record.ts';
import { describeImport } from './descriptions.ts';
import type { SelectionSummary } from './summary.ts';

const MAX_STEPS = 100;
/** Bounds the memory: an image takes about 300 bytes. */
const MAX_IMAGES = 1_000_000;

export interface Step {
  id: number;
  label: string;
  at: string;
  record: ChangeRecord;
  /** If pictures were added. The catalogue itself then has a record of what changed. */
  importRun?: number;
}

/** What the page sees of a step. */
export interface StepView {
  id: number;
  label: string;
  at: string;
  /** The images that it removed. */
  removed?: string[];
  /** Whether it gave an image another file. */
  isReplacement?: true;
  /** Whether it added pictures. */
  isImport?: true;
}

/** What the page needs to know after a change. */
export interface Changed {
  steps: StepView[];
  summary?: SelectionSummary;
}

export class History {
  readonly #steps: Step[] = [];
  #lastId = 0;

  get last(): Step | undefined {
    return this.#steps.at(-1);
  }

  /** Does nothing if nothing was changed. */
  add(step: Omit<Step, 'id'>): void {
    if (step.record.isEmpty && step.importRun === undefined) return;
    this.#steps.push({ ...step, id: ++this.#lastId });
    while (this.#steps.length > MAX_STEPS || (this.#steps.length > 1 && this.#images() > MAX_IMAGES))
      this.#steps.shift();
  }

  /** Pictures that were chosen together are one step, however many other steps are made meanwhile. */
  addImport(run: ImportRun): void {
    const [label, step] = [describeImport(run), this.#steps.find(({ importRun }) => importRun === run.id)];
    if (step) step.label = label;
    else this.add({ label, at: run.at, importRun: run.id, record: new ChangeRecord() });
  }

  drop(step: Step): void {
    const index = this.#steps.indexOf(step);
    if (index >= 0) this.#steps.splice(index, 1);
  }

  /** The last one first. */
  list(): StepView[] {
    const view = ({ id, label, at, importRun, record: { removedImages, replaced } }: Step): StepView => ({
      id,
      label,
      at,
      ...(replaced.size > 0 && { isReplacement: true }),
      ...(importRun !== undefined && { isImport: true }),
      ...(removedImages.length > 0 && { removed: removedImages.map(({ id }) => id) }),
    });
    return this.#steps.map(view).reverse();
  }

  removals(): Step[] {
    return this.#steps.filter(({ record }) => record.removedImages.length > 0);
  }

  #images(): number {
    return this.#steps.reduce((sum, { record }) => sum + record.images.size + record.removedImages.length, 0);
  }
}
