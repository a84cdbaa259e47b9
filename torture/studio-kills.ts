/** Somebody rates pictures in the studio until the page, the browser or the studio is killed: what was saved is there. */
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { launchOptions } from '../test/support/browser/browser.ts';
import { until } from '../test/support/until.ts';
import { launchUntil } from '../test/support/zukan/run-until.ts';
import type { Place } from './kill-stores.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenarios.ts';
import { addressOf, runOrThrow } from './servers.ts';
import { verifyStorage } from './verify.ts';

const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof import('playwright-core');
const MAX_MS = 2000;
const MAX_PAUSE_MS = 60;

interface Edit {
  ids: string[];
  edit: { rating: string };
}

/** The ratings that were sent for each picture, and whether they were saved. */
type Sent = Map<string, { rating: string; isSaved: boolean }[]>;

export async function killStudio({ before }: Scenario, place: Place, random: Random): Promise<string> {
  const studio = launchUntil({}, ['studio'], place.environment);
  const browser = await chromium.launchServer(launchOptions());
  const victim = random.pick(['page', 'browser', 'studio'] as const);
  const sent: Sent = new Map();
  try {
    const address = (await addressOf(studio.child)) as string;
    const page = await (await chromium.connect(browser.wsEndpoint())).newPage();
    await page.goto(address);
    const rating = rateUntilGone(page, random, sent);
    rating.catch(() => {});
    const isSaving = () => [...sent.values()].some((list) => list.some(({ isSaved }) => isSaved));
    // Mostly in the middle of the work.
    if (random.chance(0.9)) await until('the first rating is saved', isSaving);
    await setTimeout(random.below(MAX_MS));
    if (victim === 'page') await page.close();
    else if (victim === 'browser') await browser.kill();
    else studio.child.kill('SIGKILL');
    await setTimeout(MAX_PAUSE_MS);
    if (victim === 'studio') await page.close();
    await rating;
  } finally {
    studio.child.kill('SIGKILL');
    await browser.kill();
    await studio.ended;
  }
  await place.settle();
  const found = await place.contents();
  const [former, now] = [ratingsIn(before), ratingsIn(found)];
  for (const [id, rating] of now.ratings) {
    const list = sent.get(id) ?? [];
    const last = list.findLastIndex(({ isSaved }) => isSaved);
    const possible = [last < 0 ? former.ratings.get(id) : list[last]?.rating];
    possible.push(...list.slice(last + 1).map((one) => one.rating));
    if (!possible.includes(rating)) throw new Error(`${id} is ${rating}, and was saved as ${possible}`);
  }
  if (now.rest !== former.rest) throw new Error('more than ratings changed');
  await runOrThrow(['check', '--quiet', '--repair'], place.environment);
  await verifyStorage(place, found);
  return `with ${victim === 'studio' ? 'a killed studio' : `a killed ${victim} of the studio`}`;
}

/** With the keyboard, one picture after the other. This is all that knows the page. */
async function rateUntilGone(page: Page, random: Random, sent: Sent): Promise<void> {
  page.on('request', (request) => {
    if (!request.url().endsWith('/change/images')) return;
    // One edit, or all that waited.
    const { edits, ...only } = request.postDataJSON() as Edit & { edits?: Edit[] };
    const changes = (edits ?? [only]).map(({ ids, edit }) => {
      const change = { rating: edit.rating, isSaved: false };
      for (const id of ids) sent.set(id, [...(sent.get(id) ?? []), change]);
      return change;
    });
    const note = async () => {
      const answer = await (await request.response())?.text();
      const isSaved = /\{"result":[^\n]*\n?$/.test(answer ?? '');
      for (const change of changes) change.isSaved = isSaved;
    };
    note().catch(() => {});
  });
  try {
    await page.locator('.tile[data-rating]').first().waitFor();
    for (;;) {
      await page.keyboard.press('Home');
      const count = await page.locator('.tile').count();
      for (let left = count; left > 0; left--) {
        await page.keyboard.press(random.pick(['1', '2', '3']));
        await page.keyboard.press('ArrowRight');
        await setTimeout(random.below(MAX_PAUSE_MS));
      }
    }
  } catch (error) {
    if (!/closed|crashed|disconnected/i.test((error as Error).message)) throw error;
  }
}

/** The ratings by id, and everything else. */
function ratingsIn(contents: string): { ratings: Map<string, string>; rest: string } {
  const ratings = new Map<string, string>();
  const rest = contents.replaceAll(/^\{"type":"image".*$/gm, (line) => {
    const { nsfw, edited, ...record } = JSON.parse(line);
    ratings.set(record.id, nsfw);
    return JSON.stringify(record);
  });
  return { ratings, rest };
}
