/** Writes docs/openapi.json, the copy of the OpenAPI document in the repository. */
import { writeFileSync } from 'node:fs';
import { routes } from '../src/http/api/routes.ts';
import { buildOpenApi } from '../src/http/pages/reference/openapi.ts';
import { version } from '../src/version.ts';

const document = buildOpenApi(routes, ['/api', '/v1'], version);
writeFileSync(
  new URL('../docs/openapi.json', import.meta.url),
  `${JSON.stringify(document, undefined, 2)}\n`,
);
