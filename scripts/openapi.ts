/** Writes docs/openapi.json, the copy of the API's description that is kept with the source. */
import { writeFileSync } from 'node:fs';
import { routes } from '../src/http/api/routes.ts';
import { openApi } from '../src/http/pages/reference/openapi.ts';
import { version } from '../src/version.ts';

const document = openApi(routes, ['/api', '/v1'], version);
writeFileSync(
  new URL('../docs/openapi.json', import.meta.url),
  `${JSON.stringify(document, undefined, 2)}\n`,
);
