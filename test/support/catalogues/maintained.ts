/** A catalogue with a folder of tiny pictures, for commands that look after it. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeTiny } from '../pictures/tiny.ts';
import type { Engine } from '../servers/engines.ts';
import { runCommand } from '../zukan/program.ts';
import { sandbox } from './import.ts';

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

export function openMaintained(engine: Engine) {
  const box = sandbox(engine);
  const pictures = join(box.folder, 'pictures');
  mkdirSync(pictures);
  const environment = { ...box.environment, THUMBNAILS: 'off' };
  const run = (...command: string[]) => runCommand(command, environment);
  return {
    ...box,
    pictures,
    run,
    /** A command that must succeed. */
    async ok(...command: string[]): Promise<string> {
      const { status, output, errors } = await run(...command);
      assert.equal(status, 0, errors);
      return output;
    },
    pipe: (input: string, ...command: string[]) => runCommand(command, environment, input),
    picture(index: number, sidecar: object = {}): void {
      writeTiny(pictures, `${index}.png`, index);
      writeFileSync(join(pictures, `${index}.json`), JSON.stringify(sidecar));
    },
    async find(...filters: string[]): Promise<Found[]> {
      return JSON.parse((await run('find', '--json', ...filters)).output);
    },
  };
}
