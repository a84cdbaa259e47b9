/** Notes the time with each commit, and forgets changes that are too old or too many. */
import { type ChangeContext, type ChangeRecorder, MAX_ITEMS } from './change-log/recorder.ts';
import { expiryTime, isInDoubt, type NotedTime, noteTime } from './contract/clock.ts';
import type { WriteSession } from './session.ts';

export class Expiry {
  readonly #session: WriteSession;
  readonly #context: ChangeContext;
  readonly #noted: NotedTime;
  #clock: NotedTime;

  constructor(session: WriteSession, context: ChangeContext, noted: NotedTime) {
    this.#session = session;
    this.#context = context;
    this.#noted = noted;
    this.#clock = noteTime(noted, context.now);
  }

  get now(): string {
    return this.#context.now;
  }

  get clock(): NotedTime {
    return this.#clock;
  }

  /** Somebody knows that the present time is right. */
  accept(): void {
    this.#clock = { at: this.now, since: '' };
  }

  async finish(recorder: ChangeRecorder): Promise<void> {
    const { at, since } = this.#clock;
    if (this.#clock !== this.#noted)
      await this.#session.run('update clock set at = $1, since = $2', [at, since]);
    if (recorder.current() || since !== this.#noted.since) await this.#forgetChanges(recorder.number);
  }

  async #forgetChanges(below: number): Promise<void> {
    const { historyDays, maxItems = MAX_ITEMS } = this.#context;
    const expiry = expiryTime(this.now, historyDays);
    // No change was made before an earlier one, nor in the future, whatever the clock said.
    const [oldest] = await this.#session.query<{ number: number | null }>(
      `select max(number) as number from
         (select number, max(case when at <= $4 then at end) over (order by number) as latest,
            sum(items) over (order by number desc) as total from change) as summed
       where number < $1 and (latest < $2 or total > $3)`,
      [below, isInDoubt(this.#clock, expiry) ? '' : expiry, maxItems, this.now],
    );
    if (typeof oldest?.number !== 'number') return;
    await this.#session.run('delete from change where number <= $1', [oldest.number]);
    await this.#session.run('delete from change_item where change <= $1', [oldest.number]);
    await this.#session.run('delete from applied_edit where change <= $1', [oldest.number]);
  }
}
