/** A clock for the service and the pages of one browser context. It stands still until the test advances it. */
import { setTimeout } from 'node:timers/promises';
import type { BrowserContext, Locator } from 'playwright-core';
import { TIMEOUT_MS } from '../support/browser/browser.ts';

/** Divides a second, so waits of whole seconds end for the page and the service at the same time. */
const STEP_MS = 250;
/** Real time for the page to load and to react to a step. Without it, the steps themselves would occupy a core. */
const PAUSE_MS = 25;

export class TestClock {
  #now = Date.parse('2026-03-01T00:00:00.000Z');
  #context: BrowserContext | undefined;

  readonly now = () => this.#now;

  readonly install = async (context: BrowserContext): Promise<void> => {
    this.#context = context;
    await context.clock.install({ time: this.#now });
    await context.clock.pauseAt(this.#now);
  };

  /** The service goes first: a page that is ahead would send its requests too early. */
  async advance(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    await this.#context?.clock.runFor(milliseconds);
  }

  async advanceUntil(isDone: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    while (!(await isDone())) {
      if (performance.now() > deadline) throw new Error('The condition was never met');
      await this.advance(STEP_MS);
      await setTimeout(PAUSE_MS);
    }
  }

  advanceUntilVisible(locator: Locator): Promise<void> {
    return this.advanceUntil(() => locator.isVisible());
  }
}
