/** The handlers that tell of the service itself: what it is, what it holds, whose token this is. */
import type { Token } from '../../access/token-store.ts';
import { version } from '../../version.ts';
import { entityTag } from '../server/conditional.ts';
import type { Answer, Call } from './call.ts';

export const information = (paths: () => string[]) => {
  return ({ prefix }: Call<unknown>): Answer => ({
    data: JSON.stringify(paths()),
    meta: JSON.stringify({ version: `v${version}`, baseApiRoute: prefix }),
  });
};

export async function statistics({ services }: Call<unknown>): Promise<Answer> {
  const data = JSON.stringify(await services.catalogue.statistics());
  return { data, eTag: entityTag(data) };
}

export function tokenInformation({ token }: Call<unknown>): Answer {
  // The route is for tokens only, so there is one.
  const { owner, purpose, scopes, issuedBy, createdAt, expires } = token as Token;
  return { data: JSON.stringify({ owner, purpose, scopes, issuedBy, createdAt, expires }) };
}
