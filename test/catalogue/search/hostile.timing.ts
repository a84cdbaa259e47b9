/** Patterns made to hang a search: each is answered in time, and everyone else goes on. */
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { serve, zukan } from '../../support/program.ts';
import { seededChance } from '../../support/service.ts';
import { onDisk, temporaryFolder } from '../../support/workspace.ts';

const NAMES = 100_000;
const LONGEST_ANSWER_MS = 1500;
const LONGEST_WAIT_MS = 50;

const patterns = [
  '%a%a%a%a%a%a%a%b',
  '(%_%_%_%)+x',
  '%a_{200}',
  '%[ab]_{254}',
  '_{0,255}c',
  '(_?){255}(_?){255}x',
  '(a|aa)+b',
  '((a*)*)*b',
  '(a?){255}a{255}',
  '((_{15}){15})+b',
  '(%a){25}%',
  '(%[a-m]%){20}',
  '((%a|%b)%){12}x',
  '(a%|%a|b%|%b|_%)+x',
  '((((_?){9}){9}){9}){9}x',
  '((((){255}){255}){255}){255}a',
  '%(a|b|aa|bb|ab|ba)*(a|b|aa|bb)*_{99}c',
  '[[:alpha:]]{255}[[:digit:]]{255}',
  '%a%_{50}b%_{50}a%_{50}b%_{50}a%',
  '([a-z]*[a-y]*[b-z]*)*x',
];

/** Mostly a and b, so that nothing can be ruled out early. */
function* lines(): Generator<string, void> {
  const randomInt = seededChance(3);
  const name = (length: number) => {
    let text = '';
    for (let at = 0; at < length; at++) text += 'aaabbbcdé '[randomInt(10)];
    return text;
  };
  for (let index = 0; index < NAMES; index++) yield JSON.stringify({ type: 'artist', name: `a${name(14)}a` });
  for (let index = 0; index < NAMES; index++) {
    // 255 characters, of which the program makes its own memory worth testing.
    yield JSON.stringify({ type: 'character', name: `a${name(253)}a`, source: String(index) });
  }
}

const folder = temporaryFolder(onDisk);
const environment = { DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent', RATE_LIMIT: 'off' };
const imported = await zukan(['import', '-'], environment, [...lines()].join('\n'));
assert.equal(imported.status, 0, imported.errors);
const server = await serve(environment);
const agent = new Agent({ keepAlive: true });
after(() => agent.destroy());

function ask(path: string): Promise<{ status: number | undefined; ms: number; text: string }> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(`${server.origin}/api${path}`, { agent }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode, ms: performance.now() - started, text }),
      );
    });
    request.on('error', reject);
  });
}

/**
 * What a busy machine adds to every answer: the longest of some answers that have nothing to wait for. On an idle machine
 * it is nothing.
 */
async function burden(): Promise<number> {
  let longest = 0;
  for (let call = 0; call < 40; call++) longest = Math.max(longest, (await ask('/stats')).ms);
  return longest < 10 ? 0 : 4 * longest;
}

/** Asks for /stats every 10 ms until told to stop, and gives the longest answer. */
async function watch(signal: AbortSignal): Promise<number> {
  const answers: Promise<{ ms: number }>[] = [];
  while (!signal.aborted) {
    answers.push(ask('/stats'));
    await setTimeout(10);
  }
  return Math.max(...(await Promise.all(answers)).map(({ ms }) => ms));
}

for (const [kind, length] of [
  ['artist', 16],
  ['character', 255],
] as const) {
  describe(`${NAMES} names of ${length} characters`, () => {
    test('reading the names for the first search holds nobody up', async () => {
      const done = new AbortController();
      const watching = watch(done.signal);
      assert.equal((await ask(`/${kind}?search=x`)).status, 200);
      done.abort();
      assert.ok((await watching) < LONGEST_WAIT_MS + (await burden()), `${await watching} ms`);
    });

    for (const pattern of patterns) {
      test(pattern, async (t) => {
        assert.ok([...pattern].length <= 50);
        const done = new AbortController();
        const watching = watch(done.signal);
        const { status, ms, text } = await ask(`/${kind}?search=${encodeURIComponent(pattern)}`);
        done.abort();
        const longest = await watching;
        t.diagnostic(`${status} in ${Math.round(ms)} ms, others at most ${Math.round(longest)} ms`);
        if (status !== 200)
          assert.match(text, /"code":400,"message":"Invalid search query: the pattern is too expensive/);
        const more = await burden();
        assert.ok(ms < LONGEST_ANSWER_MS + 10 * more, `${ms} ms`);
        assert.ok(longest < LONGEST_WAIT_MS + more, `others waited ${longest} ms`);
      });
    }
  });
}

test('twenty searches at once are answered in turn, and hold nobody up', async (t) => {
  const pattern = encodeURIComponent('%a%a%a%a%a%a%a%b');
  const twenty = () => Promise.all(Array.from({ length: 20 }, () => ask(`/artist?search=${pattern}`)));
  // Once for the connections and the code to get warm.
  await twenty();
  const done = new AbortController();
  const watching = watch(done.signal);
  const answers = await twenty();
  done.abort();
  for (const { status } of answers) assert.equal(status, 200);
  t.diagnostic(`others at most ${Math.round(await watching)} ms`);
  assert.ok((await watching) < 2 * LONGEST_WAIT_MS + (await burden()), `${await watching} ms`);
});
