/** A catalogue with a folder of tiny pictures, for imports and for commands that look after it. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tinyPicture } from '../pictures/tiny.ts';
import type { Engine } from '../servers/engines.ts';
import { runCommand } from '../zukan/program.ts';
import { sandbox } from './import.ts';
import { parseLines } from './lines.ts';

export interface Found {
  id: string;
  rating: string;
  artist: { name: string; url: string };
  categories: string[];
  characters: string[];
  source: { name: string; url: string };
  edited: string[];
  title: string;
  fileName: string;
  path: string;
}

export function openMaintained(engine?: Engine) {
  const box = sandbox(engine);
  const pictures = join(box.folder, 'pictures');
  mkdirSync(pictures);
  const environment = { ...box.environment, THUMBNAILS: 'off' };
  const run = (...command: string[]) => runCommand(command, environment);
  /** A command that must succeed. */
  const ok = async (...command: string[]) => {
    const { status, output, errors } = await run(...command);
    assert.equal(status, 0, errors);
    return output;
  };
  /** Writes a file of the folder. A number is a tiny picture, an object is written as JSON. */
  const write = (name: string, content: number | string | object) => {
    const path = join(pictures, name);
    const isWhole = typeof content === 'string' || Buffer.isBuffer(content);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      typeof content === 'number' ? tinyPicture(content) : isWhole ? content : JSON.stringify(content),
    );
  };
  return {
    ...box,
    environment,
    pictures,
    run,
    ok,
    write,
    /** Imports the folder, which must succeed. */
    importFolder: (...flags: string[]) => ok('import', '--quiet', ...flags, pictures),
    /** The same, and it may fail. */
    tryImport: (...flags: string[]) => run('import', '--quiet', ...flags, pictures),
    pipe: (input: string, ...command: string[]) => runCommand(command, environment, input),
    picture(index: number, sidecar: object = {}): void {
      write(`${index}.png`, index);
      write(`${index}.json`, sidecar);
    },
    async find(...filters: string[]): Promise<Found[]> {
      return JSON.parse((await run('find', '--json', ...filters)).output);
    },
    /** Everything in the catalogue, as an export has it. */
    async records() {
      return parseLines(await ok('export', '--quiet'));
    },
  };
}
