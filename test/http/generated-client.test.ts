// depth: all
/** Clients that generators make of the OpenAPI document. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { restoreDemo } from '../support/catalogues/demo.ts';
import { installPackages } from '../support/npm.ts';
import { everything } from '../support/servers/needs.ts';
import { onDisk, temporaryFolder } from '../support/workspace.ts';
import { makeToken, startKnownService, startService } from '../support/zukan/service.ts';

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

// Clients that other generators make of the OpenAPI document compile in strict mode and get a picture, and Spectral has
// nothing to say. Installing these tools takes a while, so it needs ZUKAN_TEST_EVERYTHING.

const tools = [
  ...['@hey-api/openapi-ts@0.99.0', 'orval@8.32.0', 'axios@1.21.1', 'zod@4.6.7', 'oazapfts@7.5.0'],
  ...['@oazapfts/runtime@1.2.0', 'swagger-typescript-api@13.13.0', '@stoplight/spectral-cli@6.16.3'],
  ...['typescript@5.9.3', '@types/node@24.19.2'],
];

/** The command that generates a client, and a program that gets `images` with it. */
const clients: Record<string, [command: string, program: string]> = {
  'hey-api': [
    'openapi-ts -i openapi.json -o hey-api -c @hey-api/client-fetch',
    `import { random } from './hey-api/sdk.gen';
    const images = (await random({ baseUrl, query })).data?.data ?? [];`,
  ],
  'orval with fetch': [
    'orval --input openapi.json --output orval-fetch.ts --client fetch',
    `import { getRandomUrl, type randomResponse200 } from './orval-fetch';
    const response = await fetch(baseUrl + getRandomUrl(query));
    const images = ((await response.json()) as randomResponse200['data']).data;`,
  ],
  'orval with axios': [
    'orval --input openapi.json --output orval-axios.ts --client axios',
    `import { getZukan } from './orval-axios';
    const images = (await getZukan().random(query, { baseURL: baseUrl })).data.data;`,
  ],
  'orval with zod': [
    'orval --input openapi.json --output orval-zod.ts --client zod',
    `import { RandomQueryParams, RandomResponse } from './orval-zod';
    const { limit } = RandomQueryParams.parse(query);
    const images = RandomResponse.parse(await (await fetch(baseUrl + '/image/random?limit=' + limit)).json()).data;`,
  ],
  oazapfts: [
    'oazapfts openapi.json oazapfts.ts',
    `import { random } from './oazapfts';
    const response = await random(query, { baseUrl });
    const images = response.status === 200 ? response.data.data : [];`,
  ],
  'swagger-typescript-api': [
    'swagger-typescript-api generate -p openapi.json -o . -n swagger.ts',
    `import { Api, Rating } from './swagger';
    const images = (await new Api({ baseUrl }).image.random({ ...query, nsfw: [Rating.Sfw] })).data.data;`,
  ],
};

const before = `const baseUrl = process.argv[2] + '/api';
const query = { limit: 1, nsfw: ['sfw' as const], strict: true };
`;
const after = `
const [image] = images;
const file = await fetch(image?.url ?? '');
console.log(images.length, file.headers.get('content-type') === image?.meta.mimetype);
`;

describe('of the OpenAPI document', { skip: !everything && 'ZUKAN_TEST_EVERYTHING is not set' }, async () => {
  const folder = temporaryFolder(onDisk);
  const bin = join(folder, 'node_modules/.bin');
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` };
  const call = (command: string, args: string[]) =>
    run(command, args, { cwd: folder, env }).catch(({ stdout, stderr }) => assert.fail(stdout + stderr));
  const { origin } = await startKnownService();
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${origin}/openapi.json`)).text());
  await installPackages(folder, tools);

  for (const [name, [command, program]] of Object.entries(clients))
    test(`${name} makes a client that gets a picture`, async () => {
      const [generator = '', ...args] = command.split(' ');
      await call(join(bin, generator), args);
      const file = join(folder, `program of ${name}.ts`);
      writeFileSync(file, before + program + after);
      const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2024', '--types', 'node'];
      options.push('--module', 'preserve', '--lib', 'es2024,dom,dom.iterable');
      await call(join(root, 'node_modules/.bin/tsc'), [...options, file]);
      const outfile = join(folder, `${name}.mjs`);
      buildSync({
        entryPoints: [file],
        outfile,
        bundle: true,
        platform: 'node',
        format: 'esm',
        packages: 'external',
      });
      const { stdout } = await call(process.execPath, [outfile, origin]);
      assert.equal(stdout, '1 true\n');
    });

  test('Spectral has no warning', async () => {
    writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
    const { stdout } = await call(join(bin, 'spectral'), ['lint', '--fail-severity=hint', 'openapi.json']);
    assert.equal(stdout, "No results with a severity of 'hint' or higher found!\n");
  });
});
