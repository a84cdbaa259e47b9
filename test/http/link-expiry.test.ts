/** How long links to files work: the default lifetime, `expiry`, and the origin of links. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuid } from '../support/catalogues/catalogue.ts';
import { environmentOf, forEachEngineInDepth } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { clock, NOW } from '../support/zukan/api.ts';
import {
  configFor,
  importKnownCatalogue,
  type ServiceOptions,
  startService,
} from '../support/zukan/service.ts';

const HOUR = 3_600_000;
/** The bucket that default links are rounded up to is at most a quarter of the lifetime. */
const MAX_ROUNDING = HOUR / 4;

await forEachEngineInDepth(async (engine) => {
  const path = `/api/image/${uuid(4, 1)}`;
  const folder = temporaryFolder();
  const catalogue = environmentOf(await importKnownCatalogue({ engine }, folder));
  const start = ({ environment, ...options }: ServiceOptions) =>
    startService(configFor(folder, { ...catalogue, ...environment }), options);

  test('a default link is valid for an hour, rounded up to keep links stable for a while', async () => {
    let now = NOW;
    const timed = await start({ clock: () => now });
    const seen = new Map<string, string>();
    for (; now < NOW + HOUR; now += 20_011) {
      const { url, meta } = (await timed.get(path)).json.data;
      const left = Date.parse(meta.expires) - now;
      assert.ok(left >= HOUR && left <= HOUR + MAX_ROUNDING, `${left} ms are left`);
      assert.equal(seen.get(meta.expires) ?? url, url);
      seen.set(meta.expires, url);
    }
    // About 180 calls, twenty seconds apart. Most return the same link as the call before.
    assert.ok(seen.size > 1 && seen.size < 90, `${seen.size} different links`);
    assert.equal(new Set(seen.values()).size, seen.size);
  });

  test('LINK_LIFETIME sets the default lifetime', async () => {
    const brief = await start({ clock, environment: { LINK_LIFETIME: '60' } });
    const left = Date.parse((await brief.get(path)).json.data.meta.expires) - NOW;
    assert.ok(left >= 60_000 && left < 60_000 + MAX_ROUNDING, `${left} ms are left`);
  });
});
