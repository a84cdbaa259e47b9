/** The real service on a real port. Tests may pass a clock and random numbers. */
import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { hashSecret, newSecret, type Token } from '../../../src/access/tokens.ts';
import { type Config, readConfig } from '../../../src/config/config.ts';
import { type RandomInt, secureRandomInt } from '../../../src/lib/random.ts';
import type { Tuning } from '../../../src/lib/tuning.ts';
import { createApp } from '../../../src/server/app.ts';
import { createCatalogue, openStore } from '../../../src/server/engines.ts';
import { atEnd } from '../at-end.ts';
import { writeKnownCatalogue } from '../catalogues/catalogue.ts';
import { type Engine, sqlite } from '../servers/engines.ts';
import { newFolder, temporaryFolder } from '../workspace.ts';
import { assertDescribed } from './contract.ts';
import { importFiles } from './import-files.ts';

/** An `import` would also load fetch and HTTP/2, which takes 0.06 to 0.1 seconds of CPU time. */
const { request } = process.getBuiltinModule('node:http');

export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  bytes: Buffer;
  text: string;
  /** The parsed body; tests check its shape. */
  json: Envelope;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape they are about to check
export type Envelope = any;

export interface Service {
  origin: string;
  config: Config;
  /** Takes a path or a URL. */
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Answer>;
  close(): Promise<void>;
}

export interface ServiceOptions {
  clock?: () => number;
  randomInt?: RandomInt;
  tuning?: Tuning;
  environment?: Record<string, string>;
  /** SQLite by default. */
  engine?: Engine;
}

/** The folder with the image files. */
export function filesFolder({ storage }: Config): string {
  return (storage as { path: string }).path;
}

/** The SQLite file. */
export function databaseFile({ database }: Config): string {
  return (database as { path: string }).path;
}

export function configFor(folder: string, environment: Record<string, string> = {}): Config {
  return readConfig({
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'silent',
    PORT: '0',
    RATE_LIMIT: 'off',
    CACHE_MB: '8',
    ...environment,
  });
}

export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  await createCatalogue(config);
  const app = await createApp(config, options);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const close = () => app.close();
  after(close);
  return {
    origin,
    config,
    close,
    get: (path, headers, method) => send(new URL(path, origin), headers, method, config.apiPrefixes),
  };
}

/** A service with the known catalogue. */
export async function startKnownService(options: ServiceOptions = {}): Promise<Service> {
  return startService(await importKnownCatalogue(options), options);
}

const imported = new Map<string, Promise<Config>>();
/** The settings that an import depends on. */
const IMPORT_SETTINGS = ['THUMBNAILS', 'FILES_URL', 'DATABASE_URL'];

/**
 * The configuration of a new copy of the known catalogue, which is imported once per process and engine. In a database of
 * the test's own, it is imported there.
 */
export async function importKnownCatalogue(
  { engine = sqlite, environment = {} }: Pick<ServiceOptions, 'engine' | 'environment'> = {},
  folder = temporaryFolder(),
): Promise<Config> {
  const settings = Object.entries(environment).filter(([name]) => IMPORT_SETTINGS.includes(name));
  const key = JSON.stringify([engine.name, settings]);
  const original =
    imported.get(key) ?? importOnce({ ...engine.environment(), ...Object.fromEntries(settings) });
  imported.set(key, original);
  const { dataDir, database } = await original;
  cpSync(dirname(dataDir), folder, { recursive: true });
  const copy = 'DATABASE_URL' in environment ? {} : engine.copy(database);
  return configFor(folder, { ...copy, ...environment });
}

async function importOnce(environment: Record<string, string>): Promise<Config> {
  const folder = newFolder('zukan-known-');
  atEnd(() => rmSync(folder, { recursive: true }));
  const config = configFor(folder, environment);
  await importFiles(config, [await writeKnownCatalogue(folder)]);
  return config;
}

/** Creates a token. */
export async function makeToken(config: Config, scopes: string[], rest: Partial<Token> = {}) {
  const secret = newSecret(secureRandomInt);
  await using store = await openStore(config);
  const token: Token = {
    id: randomUUID(),
    owner: 'a bot',
    purpose: 'tests',
    scopes,
    issuedBy: 'the suite',
    createdAt: '2026-01-01T00:00:00.000Z',
    expires: '2999-01-01T00:00:00.000Z',
    ...rest,
  };
  await store.tokens.add(token, hashSecret(secret));
  return { secret, token, headers: { Authorization: `Bearer ${secret}` } };
}

/** Sends one request without the headers and normalisation of fetch, and checks the response against the API description. */
export async function send(
  url: URL,
  headers: Record<string, string> = {},
  method = 'GET',
  prefixes?: readonly string[],
): Promise<Answer> {
  const response = await exchange(url, headers, method);
  assertDescribed(method, url, response, prefixes);
  return response;
}

function exchange(url: URL, headers: Record<string, string>, method: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: url.hostname, port: url.port, path: url.pathname + url.search, headers, method, agent: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          const isPlain = incoming.headers['content-encoding'] === undefined;
          const isJson =
            isPlain && incoming.headers['content-type']?.startsWith('application/json') && text !== '';
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers as Answer['headers'],
            bytes,
            text,
            json: isJson ? JSON.parse(text) : undefined,
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Reproducible random numbers (mulberry32). */
export function seededRandomInt(seed: number): RandomInt {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
