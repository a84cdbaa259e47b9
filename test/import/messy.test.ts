/** A messy folder of somebody's own pictures: messy/ has the catalogue that it becomes, and the summary of the import. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { sandbox } from '../support/catalogues/import.ts';
import { parseLines } from '../support/catalogues/lines.ts';
import { setClockAhead } from '../support/later.ts';
import { paint } from '../support/pictures/painting.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { runCommand } from '../support/zukan/program.ts';

/** Files that were just written are read again the next time. Images without a date are of this day. */
setClockAhead(Date.parse('2100-01-01T00:00:00Z'));

/** No file has a date of its own. */
const COPIED = new Date('2099-12-31T23:59:00Z');

const photo = paint(7, 320, 240);
const jpeg = (width: number) => photo().resize(width).jpeg().toBuffer();

const xmp = (content: string) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:digiKam="http://www.digikam.org/ns/1.0/">${content}</rdf:Description></rdf:RDF></x:xmpmeta>`;
const takeout = (title: string, more: object = {}) =>
  JSON.stringify({ title, photoTakenTime: { timestamp: '1589635662' }, people: [{ name: 'Ann' }], ...more });
const photoPrism = (more: string) => `UID: pqnkwgd18ghabopp\nType: image\n${more}`;

/** The content of each file; a number is a tiny picture of its own. */
const files: Record<string, number | string | Buffer> = {
  // Names.
  'IMG_2041.png': 1,
  'fox-in_the snow (2).png': 2,
  'with  spaces/a b.png': 3,
  'emoji 😀/🦊.png': 4,
  'Cafe\u0301/cre\u0300me.png': 5,
  'UPPER.PNG': 6,
  'no extension': 7,
  'quote"\'$(x).png': 8,
  'odd\u001b[2J.png': 9,
  // Broken pictures.
  'broken/empty.jpg': '',
  'broken/truncated.png': tinyPicture(10).subarray(0, 60),
  'broken/page.jpg': '<!doctype html><title>404</title>',
  'broken/wrong-extension.jpg': 11,
  // What systems leave behind.
  '@eaDir/IMG_2041.png/SYNOPHOTO_THUMB_M.jpg': 12,
  'trip/@eaDir/photo.jpg@SynoEAStream': 'x',
  '#recycle/old.png': 13,
  '$RECYCLE.BIN/$I1.png': 14,
  'lost+found/15.png': 15,
  '__MACOSX/._photo.png': 'x',
  '.thumbnails/16.png': 16,
  'trip/._photo.jpg': 'x',
  'trip/.DS_Store': 'x',
  'trip/Thumbs.db': 'x',
  'trip/desktop.ini': 'x',
  // Copies and thumbnails.
  'copies/a.png': 20,
  'copies/b (1).png': 20,
  'cache/a.png': 21,
  'copies/original of the cache.png': 21,
  'trip/notes.doc': 'x',
  'trip/movie.mp4': 'x',
  // Sidecars.
  'tools/own.png': 30,
  'tools/own.png.json':
    '{"artist":"Ann","nsfw":"questionable","categories":["night sky"],"title":"At night"}',
  'tools/tags.png': 31,
  'tools/tags.txt': 'lake, creator:Bob, rating:explicit',
  'tools/licence.png': 32,
  'tools/licence.txt':
    'Copyright (c) 2020 Ann. All rights reserved.\nDo not use this without permission, please.\n',
  'tools/digikam.png': 91,
  'tools/digikam.png.xmp': xmp(
    '<digiKam:TagsList><rdf:Seq><rdf:li>Animals/Fox</rdf:li><rdf:li>People/Ann</rdf:li></rdf:Seq></digiKam:TagsList>',
  ),
  'tools/prism.png': 34,
  'tools/prism.yml': photoPrism(
    'Title: A prism\nTitleSrc: manual\nTakenAt: 2021-08-14T10:22:33Z\nTakenSrc: meta\nDetails:\n  Keywords: glass\n',
  ),
  'tools/docker.png': 35,
  'tools/docker.yml': 'services:\n  - { image: zukan }\n',
  'tools/takeout.png': 36,
  'tools/takeout.png.supplemental-metadata.json': takeout('takeout with a long name.png'),
  'tools/board.png': 37,
  'tools/board.png.json':
    '{"category":"danbooru","tags_general":["sky"],"tags_artist":["cid"],"rating":"s","md5":"x"}',
  // Sidecars that are wrong.
  'wrong/type.png': 40,
  'wrong/type.json': '{"artist":5}',
  'wrong/types.png': 41,
  'wrong/types.json': '{"categories":[1,null,{}]}',
  'wrong/typing mistake.png': 42,
  'wrong/typing mistake.png.json': '{"nfsw":true}',
  'wrong/json.png': 43,
  'wrong/json.png.json': '{"artist":',
  'wrong/rating.png': 44,
  'wrong/rating.png.json': '{"rating":"spicy"}',
  // Private elsewhere.
  'private/prism.png': 50,
  'private/prism.yml': photoPrism('Private: true\n'),
  'private/archived.png': 51,
  'private/archived.png.json': takeout('archived.png', { archived: true }),
  'private/locked.png': 52,
  'private/locked.png.supplemental-me.json': takeout('locked.png', { inLockedFolder: true }),
  // Rules and settings of folders.
  'settings/.zukan.json': '{"rating":"nsfw","categories":["holiday"],"artist":"Dora"}',
  'settings/60.png': 90,
  'settings/safe/.zukan.json': '{"rating":"sfw"}',
  'settings/safe/61.png': 61,
  'settings/safe/R-18/62.png': 62,
  'settings/wrong/.zukan.json': '{"raiting":"sfw"}',
  'settings/wrong/63.png': 63,
  'rules/.zukanignore': '# mine\nraw/\n*.tmp.png\n!keep.tmp.png\n',
  'rules/a.tmp.png': 70,
  'rules/keep.tmp.png': 71,
  'rules/raw/b.png': 72,
};

async function makeFolder(root: string): Promise<void> {
  const write = (name: string, content: string | Buffer) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
    utimesSync(join(root, name), COPIED, COPIED);
  };
  for (const [name, content] of Object.entries(files))
    write(name, typeof content === 'number' ? tinyPicture(content) : content);
  write('trip/photo.jpg', await jpeg(320));
  write('trip/photo-150x113.jpg', await jpeg(150));
  write('trip/thumbs/photo.jpg', await jpeg(80));
  write('trip/like it/photo.jpg', await jpeg(160));
  write('../outside.png', tinyPicture(80));
  symlinkSync('../../outside.png', join(root, 'broken/outside.png'));
  symlinkSync('nowhere.png', join(root, 'broken/link.png'));
  symlinkSync('../IMG_2041.png', join(root, 'copies/link.png'));
  symlinkSync('.', join(root, 'copies/loop'));
  execFileSync('mkfifo', [join(root, 'broken/pipe.png')]);
}

/** What an export says, without what differs each time. */
function readable(exported: string): string {
  const records = parseLines(exported);
  const names = new Map<string, string>(records.map(({ id, name }) => [id, name]));
  const lines = records.map(({ type, ...record }) => {
    if (type !== 'image') return { type, name: record.name };
    const { fileName, title, nsfw, artist, categories, characters, source, description, takenAt, createdAt } =
      record;
    const namesOf = (ids: string[] = []) => ids.map((id) => names.get(id)).sort();
    const date = createdAt.startsWith('2100') ? '(import)' : createdAt;
    const entries = {
      artist: names.get(artist),
      categories: namesOf(categories),
      characters: namesOf(characters),
    };
    const { width } = record.meta.dimens;
    return { type, fileName, title, nsfw, ...entries, source, description, takenAt, createdAt: date, width };
  });
  return `${lines
    .map((line) => JSON.stringify(line))
    .sort()
    .join('\n')}\n`.normalize();
}

test('a messy folder becomes a tidy catalogue, in one command', async () => {
  const { folder, environment } = sandbox();
  const root = join(folder, 'messy');
  await makeFolder(root);
  const run = (...command: string[]) => runCommand(command, { ...environment, THUMBNAILS: 'off' });
  const importFolder = async () => {
    const { status, output, errors } = await run('import', '--quiet', '--verbose', root);
    assert.equal(status, 1, errors);
    return output.replaceAll(folder, '').normalize();
  };
  const expected = (name: string) => readFileSync(join(import.meta.dirname, 'messy', name), 'utf8');
  assert.equal(await importFolder(), expected('summary.txt'));
  const catalogue = readable((await run('export', '--quiet')).output);
  assert.equal(catalogue, expected('catalogue.ndjson'));
  const again = await importFolder();
  assert.match(again, /^0 added, 0 updated, \d+ unchanged\n/);
  assert.equal(readable((await run('export', '--quiet')).output), catalogue);
  assert.equal((await run('check', '--quiet')).status, 0);
});
