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
  makeToken,
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

  test('a link works until meta.expires, and returns 410 from then on', async () => {
    let now = NOW + 1234;
    const timed = await start({ clock: () => now });
    const { headers } = await makeToken(timed.config, ['image:custom-expiry']);
    for (const [address, sent] of [[path], [`${path}?expiry=31`, headers]] as const) {
      const { url, meta } = (await timed.get(address, sent)).json.data;
      const end = Date.parse(meta.expires);
      for (const [moment, status] of [
        [now, 200],
        [end - 1, 200],
        [end, 410],
        [end + 1, 410],
      ] as const) {
        now = moment;
        const file = await timed.get(url);
        assert.equal(file.status, status, `${moment - end} ms from the end`);
        if (status === 410) assert.deepEqual([file.json.code, file.json.success], [410, false]);
      }
    }
  });

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

  test('an explicit expiry is exact to the second', async () => {
    let now = NOW;
    const timed = await start({ clock: () => now });
    const { headers } = await makeToken(timed.config, ['image:custom-expiry:86400']);
    for (const expiry of [31, 32, 59, 60, 3600, 3601, 86_400])
      for (const later of [0, 1000, 7000, 59_000, 61_000, 999_000]) {
        now = NOW + later;
        const { expires } = (await timed.get(`${path}?expiry=${expiry}`, headers)).json.data.meta;
        assert.equal(expires, new Date(now + expiry * 1000).toISOString());
      }
    now = NOW + 400;
    const { expires } = (await timed.get(`${path}?expiry=31`, headers)).json.data.meta;
    assert.ok(Math.abs(Date.parse(expires) - (now + 31_000)) < 1000);
  });

  test('links start with PUBLIC_URL if it is set', async () => {
    const proxied = await start({
      clock,
      environment: { PUBLIC_URL: 'https://cdn.example.org' },
    });
    const { url } = (await proxied.get(path)).json.data;
    assert.equal(new URL(url).origin, 'https://cdn.example.org');
  });
});
