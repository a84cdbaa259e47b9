/** The endpoints about the service itself. */
import type { Token } from '../access/tokens.ts';
import * as schemas from '../catalogue/schemas.ts';
import { entityTag } from '../http/negotiation.ts';
import { version } from '../lib/version.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import * as examples from './examples.ts';

/** `listPaths` returns the paths of all endpoints, including this one. */
export function serviceInformation(listPaths: () => string[]): Endpoint {
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
      const data = JSON.stringify(listPaths());
      const meta = JSON.stringify({ version: `v${version}`, baseApiRoute: prefix || '/' });
      return { data, meta, eTag: entityTag(data + meta) };
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
    const data = JSON.stringify(await services.catalogue.statistics());
    return { data, eTag: entityTag(data) };
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
    return { data: JSON.stringify({ owner, purpose, scopes, issuedBy, createdAt, expires }) };
  },
});
