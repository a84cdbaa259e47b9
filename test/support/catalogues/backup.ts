/** Catalogues to back up, and comparing what was restored. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../../src/server/engines.ts';
import { tinyPicture, writeTiny } from '../pictures/tiny.ts';
import { temporaryFolder } from '../workspace.ts';
import { type Finished, runCommand } from '../zukan/program.ts';
import { configFor } from '../zukan/service.ts';
import { uuid } from './catalogue.ts';
import { keyed } from './import.ts';
import { writeLines } from './lines.ts';

export type Environment = Record<string, string>;

export async function succeed(command: string[], environment: Environment, input = ''): Promise<Finished> {
  const finished = await runCommand(command, environment, input);
  assert.equal(finished.status, 0, `${command.join(' ')}: ${finished.errors}`);
  return finished;
}

/** The record of a file that an import did not store. */
function foreign(id: string): object {
  const { meta, ...record } = keyed(7, { id, artist: uuid(2, 1) }) as { meta: object };
  return { ...record, meta: { ...meta, size: tinyPicture(7).length } };
}

/** A catalogue in SQLite and a folder, with everything that a backup contains. */
export async function makeCatalogue(): Promise<{ folder: string; environment: Environment }> {
  const folder = temporaryFolder();
  const environment = { DATA_DIR: join(folder, 'data'), THUMBNAILS: 'off' };
  for (let index = 1; index <= 4; index++) writeTiny(join(folder, 'pictures'), `${index}.png`, index);
  const image = (index: number, rest: object = {}) => ({
    type: 'image',
    id: uuid(4, index),
    file: `pictures/${index}.png`,
    nsfw: 'questionable',
    createdAt: `2025-01-0${index}T00:00:00Z`,
    ...rest,
  });
  const records = [
    { type: 'category', id: uuid(1, 1), name: 'catgirl', createdAt: '2025-01-01T00:00:00Z' },
    { type: 'artist', id: uuid(2, 1), name: 'Abe "A"', licence: 'CC0', credit: 'Abe' },
    { type: 'character', id: uuid(3, 1), name: 'かえで', ages: [19] },
    image(1, {
      ...{ artist: 'Abe "A"', categories: ['catgirl'], characters: ['かえで'], alt: 'one\ntwo' },
      ...{ title: 'One', description: 'The first.', takenAt: '2024-02-03T04:05:06' },
    }),
    image(2, { edited: [], licence: { name: 'Ours', url: 'https://a.test/' }, credit: '' }),
    // Two images with the same bytes.
    image(3, { id: uuid(4, 13), nsfw: 'sfw' }),
    image(3),
    image(4),
    // One whose file was put into the storage by somebody else.
    foreign(uuid(4, 7)),
  ];
  writeLines(folder, 'catalogue.ndjson', records);
  mkdirSync(join(folder, 'data/files/some'), { recursive: true });
  writeFileSync(join(folder, 'data/files/some/7.png'), tinyPicture(7));
  await succeed(['import', '--quiet', join(folder, 'catalogue.ndjson')], environment);
  await succeed(['edit', uuid(4, 2), '--rating', 'nsfw'], environment);
  await succeed(['entry', 'category', 'catgirl', '--name', 'cat girl'], environment);
  await succeed(['entry', 'artist', 'Nobody', '--block'], environment);
  await succeed(['remove', '--yes', uuid(4, 4), '--reason', 'asked'], environment);
  const token = ['token', 'create', '--owner', 'a bot', '--purpose', 'tests', '--scope'];
  await succeed([...token, 'image:list'], environment);
  await succeed([...token, 'image:custom-expiry:60', 'api:ratelimit:disabled'], environment);
  const [first] = JSON.parse((await succeed(['token', 'list', '--json'], environment)).output);
  await succeed(['token', 'revoke', first.id], environment);
  writeFileSync(join(folder, 'data/link.keys'), `${'a'.repeat(32)}\n${'b'.repeat(32)}\n`);
  return { folder, environment };
}

/** Everything that a backup has to keep. The entity tags of a bucket differ from those of a folder. */
export async function contentsOf(environment: Environment): Promise<string> {
  const config = configFor('/nowhere', environment);
  await using store = await openStore(config);
  const exported = (await succeed(['export'], environment)).output.replaceAll(/"eTag":"[^"]*"/g, '');
  const keys = readFileSync(join(config.dataDir, 'link.keys'), 'utf8');
  return `${exported}\n${JSON.stringify(await store.tokens.records())}\n${keys}`;
}
