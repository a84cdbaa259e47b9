import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { demoCatalogue } from '../demo/catalogue.ts';
import { PLANS } from '../demo/pictures.ts';
import { svgFrames } from '../demo/render.ts';
import { sceneOf } from '../demo/staging.ts';
import { atDepth } from './support/depth.ts';

interface Entry {
  type: string;
  id: string;
  name: string;
  createdAt: string;
  nsfw?: boolean;
  ages?: number[];
}

const UUID_V5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const { entries, pictures } = demoCatalogue();
const known = entries as Entry[];
const named = (type: string): Set<string> => new Set(known.filter((e) => e.type === type).map((e) => e.name));
const extension = (file: string): string => file.slice(file.lastIndexOf('.') + 1);

function pictureIn(format: string): (typeof pictures)[number] {
  const found = pictures.find(({ record }) => extension(record.file) === format);
  assert.ok(found, `a picture in ${format}`);
  return found;
}

test('has the promised number of pictures, artists, characters and categories', () => {
  assert.ok(pictures.length >= 64 && pictures.length <= 72);
  assert.equal(named('artist').size, 10);
  assert.ok(named('character').size >= 14);
  assert.ok(named('category').size >= 14);
  assert.ok(known.some(({ type, nsfw }) => type === 'category' && nsfw));
  const used = new Set(pictures.map(({ record }) => record.artist));
  assert.equal(used.size, 10, 'every artist has drawn something');
});

test('ids, names and files are unique and well formed', () => {
  const ids = [...known, ...pictures.map(({ record }) => record)].map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, UUID_V5);
  const names = known.map(({ type, name }) => `${type}:${name}`);
  assert.equal(new Set(names).size, names.length);
  const files = pictures.map(({ record }) => record.file);
  assert.equal(new Set(files).size, files.length);
  for (const file of files) assert.match(file, /^pictures\/\d{4}\.(webp|jpg|png|avif|gif)$/);
});

test('creation times increase and are in 2025', () => {
  const times = [...known, ...pictures.map(({ record }) => record)].map(({ createdAt }) => createdAt);
  for (const time of times) assert.match(time, /^2025-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(times, [...new Set(times)].sort());
});

test('pictures refer to existing entries, and one category is empty', () => {
  const [artists, characters, categories] = [named('artist'), named('character'), named('category')];
  const used = new Set<string>();
  for (const { record } of pictures) {
    assert.ok(artists.has(record.artist), record.artist);
    for (const name of record.characters) assert.ok(characters.has(name), name);
    for (const name of record.categories) assert.ok(categories.has(name), name);
    assert.ok(record.characters.length >= 1);
    assert.equal(new Set(record.categories).size, record.categories.length);
    for (const name of record.categories) used.add(name);
  }
  assert.deepEqual(
    [...categories].filter((name) => !used.has(name)),
    ['mecha'],
  );
});

test('every picture is in two to five categories that apply to it', () => {
  for (const { record } of pictures) {
    const { file, categories, characters } = record;
    assert.ok(categories.length >= 2 && categories.length <= 5, `${file}: ${categories}`);
    assert.equal(categories.includes('animated'), file.endsWith('.gif'), file);
    assert.equal(categories.includes('duo'), characters.length === 2, file);
  }
});

test('has all ratings, mostly sfw, only adults, and sources', () => {
  const count = (rating: string): number => pictures.filter(({ record }) => record.nsfw === rating).length;
  assert.ok(count('questionable') >= 3);
  assert.ok(count('nsfw') >= 3);
  assert.ok(count('sfw') > pictures.length * 0.75);
  for (const { record } of pictures) assert.ok(record.source.name && record.source.url, record.file);
  for (const { name, ages = [] } of known) for (const age of ages) assert.ok(age >= 18, name);
});

test('drawings contain no text, fonts or external images', () => {
  const shapes = new Set<string>();
  for (const [index, plan] of PLANS.entries()) {
    const scene = sceneOf(plan, index + 1);
    shapes.add(Math.sign(scene.width - scene.height).toString());
    for (const svg of svgFrames(scene, plan.format))
      assert.doesNotMatch(svg, /<text|<image|href|font|NaN|undefined/);
  }
  assert.equal(shapes.size, 3, 'portrait, square and landscape');
});

test('renders each format deterministically', async () => {
  for (const format of ['webp', 'jpg', 'png', 'avif', 'gif']) {
    const picture = pictureIn(format);
    const first = await picture.render();
    if (atDepth(format === 'png', true)) assert.ok(first.equals(await picture.render()), format);
    const meta = await sharp(first, { animated: true }).metadata();
    assert.equal(meta.format, { jpg: 'jpeg', avif: 'heif' }[format] ?? format);
    assert.equal((meta.pages ?? 1) > 1, format === 'gif');
  }
});

test('has several pictures of each format', () => {
  const count = (format: string): number =>
    pictures.filter(({ record }) => extension(record.file) === format).length;
  assert.ok(count('avif') >= 5);
  assert.ok(count('gif') >= 4);
  assert.ok(count('png') >= 3);
  assert.ok(count('webp') + count('jpg') > pictures.length / 2);
});
