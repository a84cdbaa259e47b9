/** Writes docs/openapi.json, the copy of the OpenAPI document in the repository. */
import { writeFileSync } from 'node:fs';
import { demoRecords } from '../src/api/examples.ts';
import { routes } from '../src/api/routes.ts';
import { version } from '../src/lib/version.ts';
import { buildOpenApi, publishOpenApi } from '../src/server/pages/reference/openapi.ts';

const document = publishOpenApi(buildOpenApi(routes, ['/api', '/v1'], version, 1), '', demoRecords);
writeFileSync(
  new URL('../docs/openapi.json', import.meta.url),
  `${JSON.stringify(document, undefined, 2)}\n`,
);
