// depth: all
/** The process of an import keeps little of the memory that decoding a series of pictures takes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { temporaryFolder } from '../support/workspace.ts';
import { start } from '../support/zukan/program.ts';

const PICTURES = 8;
const SAMPLE_MS = 10;
/** Of the process of the import, in MB. It has about 115 without pictures. */
const MAX_OWN = 220;
const MAX_TOGETHER = 1000;

/** In MB: `VmRSS` is the resident memory now, `VmHWM` its peak. */
function memoryOf(pid: number | string, field: 'VmRSS' | 'VmHWM'): number {
  const status = readIfRunning(`/proc/${pid}/status`);
  return (Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1024) / 1e6;
}

function readIfRunning(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const formats: Record<string, (picture: Sharp) => Sharp> = {
  avif: (picture) => picture.avif({ effort: 0 }),
  jpeg: (picture) => picture.jpeg({ progressive: true }),
  webp: (picture) => picture.webp({ effort: 0 }),
};

for (const [format, encode] of Object.entries(formats))
  test(`a series of ${format} pictures`, { skip: process.platform !== 'linux' }, async () => {
    const folder = temporaryFolder();
    const create = { width: 3700, height: 3700, channels: 3, background: '#204060' } as const;
    const bytes = await encode(sharp({ create })).toBuffer();
    mkdirSync(join(folder, 'pictures'));
    for (let index = 0; index < PICTURES; index++)
      writeFileSync(join(folder, 'pictures', `${index}.${format}`), bytes);
    const child = start(['import', '--quiet', join(folder, 'pictures')], { DATA_DIR: join(folder, 'data') });
    child.stdout?.resume();
    const { pid = 0 } = child;
    let [own, together, processes] = [0, 0, 0];
    const timer = setInterval(() => {
      const children = readIfRunning(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
      own = Math.max(own, memoryOf(pid, 'VmHWM'));
      const all = [pid, ...children].map((one) => memoryOf(one, 'VmRSS'));
      together = Math.max(
        together,
        all.reduce((sum, one) => sum + one),
      );
      processes = Math.max(processes, children.length);
    }, SAMPLE_MS);
    const [status] = await once(child, 'close');
    clearInterval(timer);
    assert.equal(status, 0);
    assert.ok(processes > 0, 'pictures are decoded in other processes');
    assert.ok(own > 50 && own < MAX_OWN, `${own} MB`);
    assert.ok(together < MAX_TOGETHER, `${together} MB`);
  });
