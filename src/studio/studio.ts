/** Connects the addresses of the studio with what they do. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogueSnapshot, SourceFileReader } from '../catalogue/writer.ts';
import { SITE_TEXTS, type SiteField, type SiteTexts } from '../lib/site-texts.ts';
import { type ChangeEngines, Changes } from './changes.ts';
import { listChanges, listImports, listRemoved, showChange } from './history.ts';
import {
  findMatches,
  findNeighbourCategories,
  listEntries,
  listImages,
  lookUpNames,
  suggestEntries,
} from './list.ts';
import { addPicture, type ImportFolder, type PictureEngines, sendPicture, withFile } from './pictures.ts';
import { readPage, StudioError } from './requests.ts';
import {
  findAlike,
  findAlikeOf,
  findLooks,
  findProblems,
  type HealthEngines,
  readHealth,
  summarise,
  toTile,
} from './review.ts';
import type { Call, StudioRoutes } from './server.ts';

/** Files that are checked until the page hears of it. */
const FILES_PER_REPORT = 20;
const MAX_PROBLEMS = 100;

export interface StudioEngines extends ChangeEngines, HealthEngines, PictureEngines {
  catalogue: PictureEngines['catalogue'];
  importFolder: ImportFolder;
  openSourceFiles: () => Promise<SourceFileReader>;
  site(): { licence: string; fixed: readonly SiteField[] };
  /** What is wrong with the stored files. Calls back for each image; an error there stops it. */
  checkFiles(onImage: () => void): Promise<string[]>;
}

export function createStudio(engines: StudioEngines): StudioRoutes {
  const { openSnapshot, openSourceFiles } = engines;
  /** Each response is of one version of the catalogue. */
  const read =
    <Request, Response>(
      work: (snapshot: CatalogueSnapshot, request: Request, call: Call) => Promise<Response>,
    ) =>
    async (request: Request, call: Call): Promise<Response> => {
      await using snapshot = await openSnapshot();
      // Awaited here, because the snapshot is closed on return.
      return await work(snapshot, request, call);
    };
  const changes = new Changes(engines);
  let isChecking = false;
  return {
    asset: async (name) => (await readPage()).get(name),
    picture: (address, request, response) => sendPicture(engines, address, request, response),
    handlers: {
      '/data/images': read((snapshot, filter, { signal }) => listImages(snapshot, filter, engines, signal)),
      '/data/matches': read((snapshot, search) => findMatches(snapshot, search, openSourceFiles)),
      '/data/looks': ({ name }, call) =>
        withFile(name, call.bytes, async ({ folder, file }) => findLooks(await readFile(join(folder, file)))),
      '/data/entries': read(listEntries),
      '/data/suggestions': read(suggestEntries),
      '/data/session': async (_nothing, { user }) => ({ user, catalogue: await changes.identity() }),
      '/data/steps': (_nothing, call) => changes.listSteps(call),
      '/data/history': read(listChanges),
      '/data/change': read(showChange),
      '/data/removed': read(listRemoved),
      '/data/imports': read(listImports),
      '/data/alike': read(findAlike),
      '/data/problems': read(findProblems),
      '/data/health': read((snapshot) => readHealth(snapshot, engines)),
      '/data/neighbours': read(findNeighbourCategories),
      '/data/names': read(lookUpNames),
      async '/check/files'(_nothing, { report, signal }) {
        if (isChecking)
          throw new StudioError(409, 'the files are being checked already: wait for that, or stop it');
        isChecking = true;
        try {
          const total = (await engines.catalogue.statistics()).images.count;
          let done = 0;
          const problems = await engines.checkFiles(() => {
            signal.throwIfAborted();
            if (++done % FILES_PER_REPORT === 0) report({ done: Math.min(done, total), total });
          });
          const listed = problems.slice(0, MAX_PROBLEMS);
          return { count: problems.length, listed };
        } finally {
          isChecking = false;
        }
      },
      '/data/tiles': read(async ({ imagesById }, { ids }) => (await imagesById(ids)).map(toTile)),
      '/data/summary': read((snapshot, { ids }) => summarise(snapshot, ids)),
      '/data/site': read(async ({ siteTexts }) => {
        const texts: SiteTexts = {};
        for await (const { field, text } of siteTexts()) texts[field] = text;
        const fixed = engines.site().fixed.map((field) => [field, SITE_TEXTS[field]]);
        return { texts, fixed: Object.fromEntries(fixed) };
      }),
      ...changes.handlers,
      '/add/picture': (picture, call) =>
        addPicture(picture, call.bytes, {
          async importFolder(folder, continues) {
            const { change, ...added } = await engines.importFolder(folder, continues, call.user);
            return { ...added, run: change?.number, ...(await changes.listSteps(call)) };
          },
          findAlike: (bytes) => read(findAlikeOf)(bytes, call),
        }),
      '/add/replacement': ({ name, id, version }, call) =>
        withFile(name, call.bytes, (picture) => changes.replaceFile({ id, version }, picture, call)),
    },
  };
}
