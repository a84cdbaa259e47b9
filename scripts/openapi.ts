/** Writes docs/openapi.json, the copy of the API's description that is kept with the source. */
import { writeFileSync } from 'node:fs';
import { openApi } from '../src/http/reference/openapi.ts';
import { routes } from '../src/http/routes.ts';
import { version } from '../src/version.ts';

const document = openApi(routes, ['/api', '/v1'], version);
writeFileSync(
  new URL('../docs/openapi.json', import.meta.url),
  `${JSON.stringify(document, undefined, 2)}\n`,
);
