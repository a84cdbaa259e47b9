/** The studio checks the files once at a time, and stops when the page disconnects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../src/studio/server.ts';
import { createStudio, type StudioEngines } from '../../src/studio/studio.ts';

test('a second check is refused, and the first one stops with its page', async () => {
  const images: (() => void)[] = [];
  /** A check that waits for its next image as long as the test wants. */
  const checkFiles = (onImage: () => void) =>
    new Promise<string[]>((_, reject) =>
      images.push(() => {
        try {
          onImage();
        } catch (error) {
          reject(error);
        }
      }),
    );
  const catalogue = { statistics: async () => ({ images: { count: 1 } }) };
  const { handlers } = createStudio({ checkFiles, catalogue } as unknown as StudioEngines);
  const page = new AbortController();
  const call = { report() {}, signal: page.signal } as unknown as Call;
  const first = handlers['/check/files']({}, call);
  await assert.rejects(handlers['/check/files']({}, call), /being checked already/);
  images[0]?.();
  page.abort();
  images[0]?.();
  await assert.rejects(first, { name: 'AbortError' });
  const next = new AbortController();
  void handlers['/check/files']({}, { ...call, signal: next.signal }).catch(() => {});
  await Promise.resolve();
  assert.equal(images.length, 2, 'another one may start');
});
