/** Connects the addresses of the studio with what they do. */
import type { Kind } from '../catalogue/types.ts';
import { type ChangeEngines, Changes } from './changes.ts';
import { listChanges, listImports, listRemoved, listSteps, showChange } from './history.ts';
import { KINDS, listEntries, listImages, suggestEntries } from './list.ts';
import { readPage } from './page.ts';
import { type PictureEngines, sendPicture } from './pictures.ts';
import { readRequest } from './requests.ts';
import { findAlike, findAlikeOf, findProblems } from './review.ts';
import { StudioError, type StudioRoutes } from './server.ts';
import { summarise, toTile } from './summary.ts';
import { addPicture, type ImportFolder } from './upload.ts';

export interface StudioEngines extends ChangeEngines, PictureEngines {
  importFolder: ImportFolder;
}

export function createStudio(engines: StudioEngines): StudioRoutes {
  const { openSnapshot, thumbnailSizes } = engines;
  const changes = new Changes(engines);
  let files: ReturnType<typeof readPage> | undefined;
  const loadFiles = () => {
    files ??= readPage();
    return files;
  };
  return {
    async page() {
      const page = (await loadFiles()).get('index.html');
      if (!page) throw new Error('web/studio/index.html is missing');
      return page;
    },
    asset: async (name) => (await loadFiles()).get(name),
    picture: (id, size, request, response) => sendPicture(engines, id, size, request, response),
    upload: (query, request) =>
      addPicture(query, request, {
        async importFolder(folder, continues) {
          const { change, ...added } = await engines.importFolder(folder, continues);
          return { ...added, run: change?.number, steps: await listSteps(openSnapshot) };
        },
        findAlike: (bytes) => findAlikeOf(bytes, openSnapshot),
        replaceFile: (target, picture) => changes.replaceFile(target, picture),
      }),
    reads: {
      '/data/images': (query) => listImages(query, openSnapshot, thumbnailSizes),
      '/data/entries': (query) => listEntries(readKind(query), openSnapshot),
      '/data/suggestions': (query) => suggestEntries(readKind(query), query.get('text') ?? '', openSnapshot),
      '/data/steps': () => listSteps(openSnapshot),
      '/data/history': (query) => listChanges(query, openSnapshot),
      '/data/change': (query) => showChange(query, openSnapshot),
      '/data/removed': () => listRemoved(openSnapshot),
      '/data/imports': () => listImports(openSnapshot),
      '/data/alike': () => findAlike(openSnapshot),
      '/data/problems': () => findProblems(openSnapshot),
      async '/data/tiles'(_query, body) {
        const { ids } = readRequest('tiles', body);
        await using snapshot = await openSnapshot();
        return (await snapshot.imagesById(ids)).map(toTile);
      },
      async '/data/summary'(_query, body) {
        const { ids } = readRequest('selection', body);
        await using snapshot = await openSnapshot();
        // Awaited here, because the snapshot is closed on return.
        return await summarise(snapshot, ids);
      },
    },
    changes: {
      '/change/images': (body, report) => changes.editImages(body, report),
      '/change/remove': (body, report) => changes.removeImages(body, report),
      '/change/allow': (body, report) => changes.allowAgain(body, report),
      '/change/restore': (body, report) => changes.restore(body, report),
      '/change/trash/empty': (_body, report) => changes.emptyTrash(report),
      '/change/undo': (body, report) => changes.undo(body, report),
      '/change/entry': (body, report) => changes.entries.edit(body, report),
      '/change/entry/create': (body, report) => changes.entries.create(body, report),
      '/change/entry/merge': (body, report) => changes.entries.merge(body, report),
      '/change/entry/remove': (body, report) => changes.entries.remove(body, report),
    },
  };
}

function readKind(query: URLSearchParams): Kind {
  const kind = KINDS.find((kind) => kind === query.get('kind'));
  if (!kind) throw new StudioError(400, 'the kind must be artist, category or character');
  return kind;
}
