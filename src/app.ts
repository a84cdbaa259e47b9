/** The only wiring: configuration to a running whole. */
import { randomBytes, randomInt } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Links } from './access/links.ts';
import type { Config } from './config.ts';
import { originReader } from './http/origin.ts';
import { createServer } from './http/server.ts';
import { openFolder } from './media/local.ts';
import type { CatalogueWriter, Chance, Clock, Files, TokenRegister } from './model.ts';
import { openCatalogue } from './store/sqlite.ts';
import { openTokenRegister } from './store/sqlite-tokens.ts';
import { openWriter } from './store/sqlite-writer.ts';

/** A cryptographic source: tokens come from it too. */
export const secureChance: Chance = (below) => randomInt(below);

/** The server, ready to listen. Time and chance can be given, for tests. */
export function createApp(config: Config, given: { clock?: Clock; chance?: Chance } = {}): FastifyInstance {
  const catalogue = openCatalogue(config.databasePath);
  const server = createServer(
    {
      catalogue,
      files: filesOf(config),
      links: new Links(config.linkKeys ?? keptLinkKeys(config.dataDir)),
      linkLifetime: config.linkLifetime,
      clock: given.clock ?? Date.now,
      chance: given.chance ?? secureChance,
      originOf: originReader(config.publicUrl, config.trustedProxies),
    },
    { prefixes: config.apiPrefixes, logLevel: config.logLevel },
  );
  server.addHook('onClose', () => catalogue.close());
  return server;
}

export const writerOf = (config: Config): CatalogueWriter => openWriter(config.databasePath);
export const tokensOf = (config: Config): TokenRegister => openTokenRegister(config.databasePath);
export const filesOf = (config: Config): Files => openFolder(config.filesDir);

export async function isEmptyCatalogue(config: Config): Promise<boolean> {
  const catalogue = openCatalogue(config.databasePath);
  const { images, artists, characters, categories } = await catalogue.statistics();
  await catalogue.close();
  return [images, artists, characters, categories].every(({ count }) => count === 0);
}

/** The signing keys in the data folder, a line each; the first start makes one. */
function keptLinkKeys(dataDir: string): string[] {
  const path = join(dataDir, 'link.keys');
  const read = () => readFileSync(path, 'utf8').split('\n').filter(Boolean);
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dataDir, { recursive: true });
  // Linked into place whole, so that of several processes that start at once all use the key of the first.
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  try {
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside);
  }
  return read();
}
