/** The endpoints about the service itself. */

import type { Token } from '../access/tokens.ts';
import * as schemas from '../catalogue/schemas.ts';
import type { Asset } from '../http/assets.ts';
import { toJsonBytes } from '../lib/byte-string.ts';
import { version } from '../lib/version.ts';
import { type Endpoint, endpoint, keepAnswer, makeAnswer } from './endpoint.ts';
import * as examples from './examples.ts';

/** `listPaths` returns the paths of all endpoints, including this one. */
export function serviceInformation(listPaths: () => string[]): Endpoint {
  /** By prefix. */
  const answers = new Map<string, Asset>();
  return endpoint({
    name: 'information',
    group: 'Service',
    summary: 'Get service information',
    description: 'Returns the paths of all endpoints, the version, and the prefix of this request.',
    access: 'open',
    data: schemas.Paths,
    meta: schemas.ServiceMeta,
    example: {
      // A getter, because the list of endpoints is complete only after this one is declared.
      get data() {
        return listPaths();
      },
      meta: { version: `v${version}`, baseApiRoute: '/api' },
    },
    hasETag: true,
    handle({ prefix }) {
      const known = answers.get(prefix);
      if (known) return { answer: known };
      const meta = toJsonBytes({ version: `v${version}`, baseApiRoute: prefix || '/' });
      const answer = makeAnswer(toJsonBytes(listPaths()), meta);
      answers.set(prefix, answer);
      return { answer };
    },
  });
}

export const statistics = endpoint({
  name: 'stats',
  group: 'Service',
  summary: 'Get statistics',
  description: 'Counts all records, and images by rating and by orientation.',
  access: 'open',
  data: schemas.Statistics,
  example: { data: examples.statistics },
  hasETag: true,
  async handle({ services }) {
    const statistics = await services.catalogue.statistics();
    return { answer: keepAnswer(statistics, () => toJsonBytes(statistics)) };
  },
});

export const tokenInformation = endpoint({
  name: 'token',
  group: 'Service',
  summary: 'Get token information',
  description: 'Returns the owner, the scopes and the expiry of your token. Any valid token will do.',
  access: 'token',
  data: schemas.TokenInformation,
  example: { data: examples.token },
  handle({ token }) {
    // `access` ensures that there is a token.
    const { owner, purpose, scopes, issuedBy, createdAt, expires } = token as Token;
    return { data: toJsonBytes({ owner, purpose, scopes, issuedBy, createdAt, expires }) };
  },
});
