/** The package of the typed client, for `npm install https://<host>/client.tgz`. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Asset, makeAsset } from '../../http/assets.ts';
import { ApiError } from '../../http/exchange.ts';

const root = join(import.meta.dirname, '../../..');

/** The package of zukan contains it. A checkout packs it. */
export async function readClientPackage(): Promise<Asset> {
  const built = join(root, 'client.tgz');
  return makeAsset(existsSync(built) ? await readFile(built) : await packClient(), 'application/gzip');
}

async function packClient(): Promise<Buffer> {
  if (!existsSync(join(root, 'node_modules/typescript')))
    throw new ApiError(404, 'This checkout has no compiler to pack the client with: run "npm ci".');
  const folder = await mkdtemp(join(tmpdir(), 'zukan-'));
  try {
    await promisify(execFile)(process.execPath, [join(root, 'scripts/build.ts'), 'client', folder]);
    return await readFile(join(folder, 'client.tgz'));
  } finally {
    await rm(folder, { recursive: true });
  }
}
