// depth: all
/** A client generated from the OpenAPI document by openapi-typescript compiles in strict mode and works on the demo. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { restoreDemo } from '../support/catalogues/demo.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { makeToken, startService } from '../support/zukan/service.ts';

const root = join(import.meta.dirname, '../..');
const GENERATED = 'api.ts';
const run = promisify(execFile);

/** Uses the types of paths, parameters, records and errors. The compiler fails if one of them is missing or too wide. */
const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './${GENERATED}';

const [origin = '', token = ''] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: \`\${origin}/api\` });
const headers = { Authorization: \`Bearer \${token}\` };

const random = await api.GET('/image/random', {
  params: { query: { categories: ['foxgirl', 'kimono'], nsfw: ['sfw'], limit: 2 } },
});
const images: components['schemas']['Image'][] = random.data?.data ?? [];
for (const { id, nsfw, meta, categories } of images) {
  const safe: 'sfw' | 'questionable' | 'nsfw' = nsfw;
  const names: string[] = categories.map(({ name }) => name);
  const same = await api.GET('/image/{id}', { params: { path: { id } } });
  const colour: string | undefined = same.data?.data.meta.color;
  console.log(safe, names.includes('foxgirl'), names.includes('kimono'), colour === meta.color);
}

const all = await api.GET('/image', { headers, params: { query: { limit: 25, offset: 60 } } });
console.log(all.data?.data.length, all.response.headers.get('X-Total-Count'));

const artists = await api.GET('/artist', { params: { query: { search: 'Hoshino%' } } });
for (const { id, name } of artists.data?.data ?? []) {
  const artist = await api.GET('/artist/{id}', { params: { path: { id } } });
  const count: number | undefined = artist.data?.data.images;
  const pictures = await api.GET('/artist/{id}/images', { params: { path: { id }, query: { limit: 25 } } });
  console.log(name, count === pictures.data?.data.length, artist.data?.success);
}

const information = await api.GET('/');
console.log(information.data?.data.includes('/image/random'), information.data?.meta.baseApiRoute);
const statistics = await api.GET('/stats');
console.log(statistics.data?.data.images.count);
console.log((await api.GET('/token', { headers })).data?.data.scopes.join());

const refused = await api.GET('/token');
const error: components['schemas']['Error'] | undefined = refused.error;
const failed: false | undefined = error?.success;
console.log(error?.code, failed, refused.data === undefined);

// @ts-expect-error The rating must be one of three.
const wrong = await api.GET('/image/random', { params: { query: { nsfw: ['safe'] } } });
console.log(wrong.error?.code);
// @ts-expect-error There is no such field.
console.log(statistics.data?.data.videos);
`;
const expected = `sfw true true true
sfw true true true
8 68
Hoshino Ink true true
true /api
68
image:list
401 false true
400
undefined
`;

const strict = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
    noUnusedLocals: true,
    noEmit: true,
    target: 'esnext',
    module: 'nodenext',
    allowImportingTsExtensions: true,
    lib: ['esnext', 'dom'],
    types: ['node'],
    skipLibCheck: true,
  },
  include: ['*.ts'],
};

test('the generated client compiles and returns the data of the demo', async () => {
  const folder = temporaryFolder();
  const config = await restoreDemo();
  const { origin } = await startService(config);
  const { secret } = await makeToken(config, ['image:list']);

  const workspace = join(root, 'scripts/generator');
  const generator = join(workspace, 'node_modules/openapi-typescript/bin/cli.js');
  await run(process.execPath, [generator, `${origin}/openapi.json`, '-o', join(folder, GENERATED)]);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(strict));
  writeFileSync(join(folder, 'program.ts'), program);
  const compiler = join(root, 'node_modules/.bin/tsc');
  await run(compiler, ['-p', folder]).catch(({ stdout }) => assert.fail(stdout));
  const { stdout } = await run(process.execPath, [join(folder, 'program.ts'), origin, secret]);
  assert.equal(stdout, expected);
});
