/** Imports records into a new catalogue. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalogue, ListFilter } from '../../../src/catalogue/catalogue.ts';
import type { ImageDocument } from '../../../src/catalogue/documents/image-document.ts';
import type { Image, Window } from '../../../src/catalogue/schemas.ts';
import type { CatalogueWriter } from '../../../src/catalogue/writer.ts';
import type { Config } from '../../../src/config/config.ts';
import type { ImportListener } from '../../../src/import/plan/existing.ts';
import { noLooks } from '../../../src/import/plan/looks.ts';
import { runImport } from '../../../src/import/run.ts';
import { catalogueFile } from '../../../src/import/sources/source.ts';
import { newId } from '../../../src/lib/random.ts';
import { openFiles } from '../../../src/server/engines.ts';
import type { Engine } from '../servers/engines.ts';
import { temporaryFolder } from '../workspace.ts';
import { caller } from '../zukan/caller.ts';
import { importFiles } from '../zukan/import-files.ts';
import { configFor } from '../zukan/service.ts';

/** For imports whose report nobody reads. */
const noReport: ImportListener = { record() {}, unchanged() {}, note() {} };

export interface Sandbox {
  folder: string;
  config: Config;
  /** The variables that name the catalogue, for a command. */
  environment: Record<string, string>;
  /** Imports the records as the file catalogue.ndjson of the folder. A string is written as it is. */
  import(records: (object | string)[]): Promise<{ added: number; updated: number; unchanged: number }>;
}

export function sandbox(engine?: Pick<Engine, 'environment'>): Sandbox {
  const folder = temporaryFolder();
  const environment = { DATA_DIR: join(folder, 'data'), ...engine?.environment() };
  const config = configFor(folder, environment);
  return {
    folder,
    config,
    environment,
    async import(records) {
      const path = join(folder, 'catalogue.ndjson');
      const lines = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
      await writeFile(path, lines.map((line) => `${line}\n`).join(''));
      return importFiles(config, [path]);
    },
  };
}

/** Imports a catalogue file that is still being written. */
export function importStream(
  config: Config,
  folder: string,
  open: () => AsyncIterable<Buffer>,
  openWriter: () => Promise<CatalogueWriter>,
) {
  return runImport([catalogueFile('stream', folder, open)], openWriter, {
    files: openFiles(config),
    defaults: () => ({ now: '2026-01-01T00:00:00.000Z', newId: () => newId() }),
    concurrency: 2,
    thumbnailSizes: [],
    isDryRun: false,
    isFull: false,
    stopsAt: 'any',
    keepsLocation: false,
    onProgress: () => {},
    warn: assert.fail,
    run: { source: '' },
    report: noReport,
    looks: noLooks,
    choices: [],
    albumFolders: [],
    listsAll: false,
    signal: new AbortController().signal,
  });
}

/** An image record with `key` and `meta` instead of a file. */
export function keyed(index: number, rest: object = {}): object {
  const meta = { eTag: `tag-${index}`, size: 1000 + index, mimetype: 'image/png', color: '#00ff00' };
  return {
    type: 'image',
    key: `some/${index}.png`,
    meta: { ...meta, dimens: { width: 30, height: 20 } },
    nsfw: 'sfw',
    ...rest,
  };
}

/** A page of images; fails if the filter names something that does not exist. */
export async function listed(
  catalogue: Catalogue,
  filter: ListFilter,
  window: Window,
): Promise<ImageDocument[]> {
  const page = await catalogue.images(filter, window, caller);
  if ('problem' in page) throw new Error(`unknown ${page.problem}`);
  return page.items;
}

/** The fields of an image, without its link. */
export function contentOf(image: ImageDocument): Omit<Image, 'url'> {
  const { url, ...content } = image.toImage(() => ({ url: '', expires: '' }));
  return content;
}
