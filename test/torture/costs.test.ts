/** The requests whose cost the torture run measures. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { randomImages } from '../../src/api/images.ts';
import { readQuery } from '../../src/api/parameters.ts';
import { parseQuery } from '../../src/http/request.ts';
import {
  commonShapes,
  describeShape,
  mutateShape,
  renderShape,
  type Shape,
} from '../../torture/cost-shapes.ts';
import { cpuMs } from '../../torture/costs.ts';
import { randomFor } from '../../torture/random.ts';
import { until } from '../support/until.ts';

const shapes = [...commonShapes()];
const headers = { 'X-Forwarded-For': '10.0.0.1', Authorization: `Bearer ${'a'.repeat(100)}` };

function mutants(seed: number): Shape[] {
  const random = randomFor(seed, 'test');
  let shape = random.pick(shapes);
  return Array.from({ length: 300 }, () => {
    shape = mutateShape(shape, shapes, random);
    return shape;
  });
}

test('there are hundreds of shapes, for every kind of client and every address', () => {
  assert.ok(new Set(shapes.map(describeShape)).size >= 200);
  for (const path of ['/', '/docs', '/health/live', '/health/ready', '/metrics', '/api/stats', '/files/'])
    for (const sender of ['blocked', 'anonymous', 'token'])
      assert.ok(
        shapes.some((shape) => shape.sender === sender && shape.path === path),
        path,
      );
});

test('every request fits into what the server accepts, and is one request', () => {
  for (const shape of [...shapes.filter((_, index) => index % 5 === 0), ...mutants(1)]) {
    const text = renderShape(shape, headers, 16_384);
    assert.ok(text.length < 16_384, describeShape(shape));
    assert.match(
      text,
      /^GET \/[\x21-\x7e]* HTTP\/1\.1\r\n([^\r\n:]+:[^\r\n]*\r\n)+\r\n$/,
      describeShape(shape),
    );
    if (shape.fillers.length > 0) assert.ok(text.length > 14_000, describeShape(shape));
  }
});

test('some requests have almost as many parameters or values as the server reads', () => {
  const searches = shapes
    .filter(({ path }) => path === '/v1/image/random')
    .map((shape) => renderShape(shape, headers, 16_384).split(' ', 2)[1]?.split('?')[1] ?? '');
  for (const start of [
    'exclude[]=%C3%89',
    '%C3%89',
    'categories=%C3%89%C3%89%C3%89%C3%89',
    'cursor=AAJ',
    'exclude=%C3%89',
  ]) {
    const found = searches.filter((search) => search.startsWith(start));
    assert.ok(
      found.some((search) => Math.abs(search.split(/[&,]/).length - 95) <= 5),
      start,
    );
  }
  const both = searches.find((search) => search.startsWith('cursor=AAJ')) ?? '';
  assert.doesNotThrow(() => readQuery(randomImages.query, parseQuery(both)));
});

test('a seed repeats the search', () => {
  assert.deepEqual(mutants(1), mutants(1));
  assert.notDeepEqual(mutants(1), mutants(2));
});

test('the CPU time of a process grows when it computes', async () => {
  // Of its own: the time of a thread that ends is lost, and other tests of this process have some.
  const child = spawn(process.execPath, ['-e', 'for (;;);']);
  const before = cpuMs(child.pid as number);
  await until('its CPU time grows', () => cpuMs(child.pid as number) > before + 10);
  child.kill('SIGKILL');
});
