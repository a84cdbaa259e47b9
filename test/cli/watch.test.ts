// process: own
/** `zukan import --watch`. Scans happen when the test says so, except in the last test. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { GRACE_MS, watchCommand } from '../../src/cli/importing/watch.ts';
import type { Config } from '../../src/config/config.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { tinyPicture, writeTiny } from '../support/pictures/tiny.ts';
import { until } from '../support/until.ts';
import { runCommand, start } from '../support/zukan/program.ts';

interface Box {
  pictures: string;
  /** A second folder that is watched. */
  others: string;
  config: Config;
  environment: Record<string, string>;
  /** Lets time pass. */
  pass(ms: number): void;
  /** Sets the clock, while no time passes. */
  setClock(ms: number): void;
}
type Step = (box: Box) => unknown;

/** Runs a step whenever the command waits for the next scan, and interrupts it after the last one. Returns what it prints. */
async function watchDuring(steps: Step[], flags: object = {}): Promise<string[]> {
  const { folder, config, environment } = sandbox();
  const [pictures, others] = [join(folder, 'pictures'), join(folder, 'others')];
  for (const path of [pictures, others]) mkdirSync(path);
  let now = Date.now();
  let jump = 0;
  const pass = (ms: number) => {
    now += ms;
  };
  const setClock = (ms: number) => {
    jump += ms;
  };
  const lines: string[] = [];
  const collect = new Writable({
    write(chunk, _encoding, done) {
      lines.push(...String(chunk).split('\n').filter(Boolean));
      done();
    },
  });
  const remaining = [...steps];
  const wait = async () => {
    const step = remaining.shift();
    if (step) await step({ pictures, others, config, environment, pass, setClock });
    else process.emit('SIGINT');
  };
  const terminal = { stdin: Readable.from([]), stdout: collect, stderr: collect };
  const surroundings = { clock: () => now + jump, steadyClock: () => now, wait, watch: () => undefined };
  await watchCommand(config, [pictures, others], flags, terminal, surroundings);
  return lines.map((line) => line.replace(/^\d{4}-\S+Z /, '').replaceAll(`${folder}/`, ''));
}

const nothing: Step = () => {};
const graceEnds: Step = ({ pass }) => pass(GRACE_MS);
test('imports a file when two scans find it unchanged, and prints one line per import', async () => {
  const half = tinyPicture(2).subarray(0, 50);
  const lines = await watchDuring([
    ({ pictures }) => writeTiny(pictures, 'a.png', 1),
    ({ pictures }) => writeFileSync(join(pictures, 'b.png'), half),
    ({ pictures }) => appendFileSync(join(pictures, 'b.png'), tinyPicture(2).subarray(50)),
    nothing,
    nothing,
    nothing,
  ]);
  // On a slow machine, the first file is old enough to count as unchanged.
  assert.deepEqual(
    lines.map((line) => line.replace(/, [01] unchanged$/, '')),
    [
      'watching pictures, others; stop with Ctrl-C',
      'created a new catalogue: data/zukan.db',
      '1 added, 0 updated',
      '1 added, 0 updated',
      'stopped watching',
    ],
  );
});

test('lists a bad file once, and imports it when it is fixed', async () => {
  const lines = await watchDuring([
    ({ pictures }) => {
      writeTiny(pictures, 'a.png', 1);
      writeFileSync(join(pictures, 'bad.png'), 'text');
    },
    nothing,
    nothing,
    nothing,
    ({ pictures }) => writeTiny(pictures, 'bad.png', 2),
    nothing,
    nothing,
  ]);
  assert.equal(lines.filter((line) => line.includes('bad.png: ')).length, 1, lines.join('\n'));
  assert.equal(lines.filter((line) => /^[12] added/.test(line)).length, 2, lines.join('\n'));
});

test('continues after an import that failed, and imports its files then', async () => {
  const filesFolder = ({ config }: Parameters<Step>[0]) => join(config.dataDir, 'files');
  const lines = await watchDuring([
    ({ pictures }) => writeTiny(pictures, 'a.png', 1),
    (box) => {
      rmSync(filesFolder(box), { recursive: true, force: true });
      writeFileSync(filesFolder(box), 'not a folder');
    },
    (box) => unlinkSync(filesFolder(box)),
    nothing,
  ]);
  assert.match(lines[2] ?? '', /^zukan: .*; trying again$/);
  assert.deepEqual(lines.slice(3), ['1 added, 0 updated, 0 unchanged', 'stopped watching']);
});

test('--prune removes what is gone, but not everything', async () => {
  const lines = await watchDuring(
    [
      ({ pictures }) => {
        for (let index = 0; index < 12; index++) writeTiny(pictures, `${index}.png`, index);
      },
      nothing,
      ({ pictures }) => unlinkSync(join(pictures, '3.png')),
      graceEnds,
      ({ pictures }) => {
        for (const index of [0, 1, 2, 4]) unlinkSync(join(pictures, `${index}.png`));
      },
      graceEnds,
      nothing,
    ],
    { prune: true },
  );
  const text = lines.join('\n');
  assert.match(text, /1 image whose files are gone:\n.*pictures\/3\.png\n.* 1 removed\n/);
  assert.equal(text.match(/removed nothing: --prune would remove 4 of 11 images/g)?.length, 1, text);
});

test('setting the clock does not end the time for which --prune waits', async () => {
  const lines = await watchDuring(
    [
      ({ pictures }) => {
        for (const index of [1, 2]) writeTiny(pictures, `${index}.png`, index);
      },
      nothing,
      ({ pictures }) => unlinkSync(join(pictures, '1.png')),
      ({ setClock }) => setClock(400 * 24 * GRACE_MS),
      nothing,
      ({ setClock, pass }) => {
        setClock(-800 * 24 * GRACE_MS);
        pass(GRACE_MS - 1);
      },
      nothing,
      async ({ environment, pass }) => {
        assert.match((await runCommand(['find'], environment)).output, /^\S+\n\S+\n$/, 'it is still there');
        pass(1);
      },
      nothing,
    ],
    { prune: true, yes: true },
  );
  assert.match(lines.join('\n'), /1 image whose files are gone/);
});

const first = (pictures: string) => join(pictures, 'cats', 'a.png');

/** What happens to a picture between two scans. The torture run moves, copies and edits pictures at random. */
const moves: Record<string, Step[]> = {
  'moves to the other folder': [({ pictures, others }) => renameSync(first(pictures), join(others, 'b.png'))],
  'is replaced by another one after it was renamed': [
    ({ pictures }) => {
      renameSync(first(pictures), join(pictures, 'b.png'));
      writeTiny(pictures, 'cats/a.png', 99);
    },
  ],
  'is removed, and comes slowly': [
    ({ pictures }) => unlinkSync(first(pictures)),
    ({ pictures, pass }) => {
      pass(GRACE_MS - 1);
      writeFileSync(join(pictures, 'b.png'), tinyPicture(0).subarray(0, 50));
    },
    ({ pictures, pass }) => {
      pass(GRACE_MS);
      appendFileSync(join(pictures, 'b.png'), tinyPicture(0).subarray(50));
    },
  ],
  'is away several times, each time for a short time': [1, 2].flatMap((): Step[] => [
    ({ pictures }) => unlinkSync(first(pictures)),
    ({ pictures, pass }) => {
      pass(GRACE_MS - 1);
      writeTiny(pictures, 'cats/a.png', 0);
    },
    nothing,
    nothing,
  ]),
};

test('--prune keeps the image and the decisions about a picture that moves', async () => {
  let before: object | undefined;
  const quick = ['moves to the other folder', 'is removed, and comes slowly'];
  for (const move of atDepth(quick, Object.keys(moves))) {
    const steps = moves[move] as Step[];
    const find = async ({ environment }: Box) => {
      const { output } = await runCommand(['export'], environment);
      const images = output.split('\n').filter((line) => line.includes('"type":"image"'));
      const { id, nsfw, edited } = JSON.parse(images[0] ?? '{}');
      return { id, nsfw, edited };
    };
    const quiet = Array<Step>(4).fill(nothing);
    await watchDuring(
      [
        ({ pictures }) => {
          writeTiny(pictures, 'cats/a.png', 0);
          writeTiny(pictures, 'last.png', 1);
        },
        nothing,
        async (box) => {
          const { id } = await find(box);
          await runCommand(['edit', id, '--rating', 'nsfw'], box.environment);
          before = await find(box);
        },
        ...steps,
        ...quiet,
        graceEnds,
        nothing,
        async (box) => assert.deepEqual(await find(box), before, `a picture ${move}`),
      ],
      { prune: true, yes: true },
    );
  }
});

test('--prune removes an image whose picture became private', async () => {
  const lines = await watchDuring(
    [
      ({ pictures }) => {
        for (let index = 0; index < 12; index++) writeTiny(pictures, `${index}.png`, index);
      },
      nothing,
      ({ pictures }) => writeFileSync(join(pictures, '3.yml'), 'UID: x\nType: image\nPrivate: true\n'),
      nothing,
      nothing,
      graceEnds,
      nothing,
    ],
    { prune: true },
  );
  assert.match(lines.join('\n'), /1 image whose files are gone:\n.*pictures\/3\.png\n.* 1 removed\n/);
});

test('--prune removes nothing if a disk is not mounted, even with --yes', async () => {
  const lines = await watchDuring(
    [
      ({ pictures }) => writeTiny(pictures, 'a.png', 1),
      nothing,
      ({ pictures }) => unlinkSync(join(pictures, 'a.png')),
      graceEnds,
      graceEnds,
    ],
    { prune: true, yes: true },
  );
  assert.match(lines.join('\n'), /\nremoved nothing: pictures contains no pictures\. Is its disk mounted\?/);
  assert.ok(!lines.join('\n').includes('1 removed'));
});

test('--prune removes nothing while a file that may be the picture cannot be read', async () => {
  const lines = await watchDuring(
    [
      ({ pictures }) => {
        for (let index = 0; index < 12; index++) writeTiny(pictures, `${index}.png`, index);
        symlinkSync('loop.png', join(pictures, 'loop.png'));
      },
      nothing,
      ({ pictures }) => unlinkSync(join(pictures, '0.png')),
      graceEnds,
      ({ pictures }) => unlinkSync(join(pictures, 'loop.png')),
      nothing,
    ],
    { prune: true },
  );
  const text = lines.join('\n');
  assert.match(
    text,
    /removed nothing: pictures\/loop\.png cannot be read, so some of them may still be there\./,
  );
  assert.match(text, /pictures\/0\.png\n.* 1 removed\n/);
});

test('notices changes, and stops cleanly on a signal', async () => {
  const { folder, environment } = sandbox();
  const pictures = join(folder, 'pictures');
  mkdirSync(pictures);
  const child = start(['import', '--watch', pictures], environment);
  const ended = once(child, 'close');
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await until('it watches', () => output.includes('watching'));
  writeTiny(pictures, 'cats/a.png', 1);
  await until('the picture is imported', () => output.includes('added'));
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  assert.match(
    output,
    /\n\S+Z 1 added, 0 updated, 0 unchanged; entries: 1 added, 0 updated, 0 unchanged\nstopped watching\n$/,
  );
});

test('refuses what it cannot watch', async () => {
  await assert.rejects(watchDuring([], { dryRun: true }), /--watch and --dry-run cannot be combined/);
});
