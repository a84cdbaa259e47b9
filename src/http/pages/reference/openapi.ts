/** The API in the words of OpenAPI 3.1, out of the routes and the schemas that the service itself answers by. */
import type { Route } from '../../api/call.ts';
import { commonHeaders, components, headerRefs, refTo, schemaOf } from './components.ts';
import { type Description, descriptions, groups } from './descriptions.ts';
import { failures } from './failures.ts';
import type { OpenApi, Operation, Ref, Response, Schema } from './types.ts';

const introduction = `Everything is a \`GET\`, and most of it is open to all. \`HEAD\` works everywhere.

Success is \`{"success":true,"data":…}\`, an error \`{"code":…,"message":…,"success":false}\` with the HTTP status as \
code. Where several errors apply, the first of these is told: 429, 401, 400, 403, 404.

One request a second is allowed. Every answer tells in \`X-RateLimit-Reset\` how many seconds to wait for the next.

A token is sent as \`Authorization: Bearer <token>\`. It is needed for \`/token\`, for \`/image\`, and for \`expiry\`; one \
that is not valid is refused everywhere.

A \`search\` must match the whole name, in whatever case: \`%\` is any text, \`_\` any character, \`a|b\` either of two; \
\`*\`, \`+\`, \`?\`, \`{m,n}\`, \`(…)\` and \`[a-z]\` are as in regular expressions, and \`\\\` makes what follows literal.

The \`url\` of an image needs no token, is not limited, and works until \`meta.expires\`.`;

const UNCHANGED = 'What `If-None-Match` names is still true.';

export function openApi(routes: readonly Route[], prefixes: readonly string[], version: string): OpenApi {
  return {
    openapi: '3.1.1',
    info: {
      title: 'zukan',
      version,
      summary: 'An image catalogue: random pictures, artists, characters and categories.',
      description: introduction,
    },
    servers: prefixes.map((url) => ({ url, description: 'this service' })),
    tags: groups,
    paths: Object.fromEntries(routes.map((route) => [route.path, { get: operationOf(route) }])),
    components,
  };
}

function operationOf(route: Route): Operation {
  const told = descriptions[route.path];
  if (!told) throw new Error(`The reference says nothing of ${route.path}.`);
  const { name, summary, description, group } = told;
  return {
    ...{ operationId: name, summary, description, tags: [group], security: securityOf(route) },
    parameters: parametersOf(route).map((parameter) => refTo('parameters', parameter)),
    responses: {
      200: successOf(route, told),
      ...(told.hasETag && { 304: { description: UNCHANGED, headers: headersOf(told) } }),
      ...Object.fromEntries(errorsOf(route)),
    },
  };
}

function parametersOf({ path, query }: Route): string[] {
  return [...(path.includes('{id}') ? ['id'] : []), ...Object.keys(query.properties)];
}

function securityOf({ access }: Route): Record<string, string[]>[] {
  if (access === 'open') return [{}, { token: [] }];
  return [{ token: access === 'token' ? [] : [access.scope] }];
}

function headersOf({ isPaged, isWalked, hasETag }: Description): Record<string, Ref> {
  return {
    ...commonHeaders,
    ...(isPaged && headerRefs('X-Total-Count', 'Link')),
    ...(isWalked && headerRefs('X-Next-Cursor', 'Link')),
    ...(hasETag && headerRefs('ETag')),
  };
}

function successOf(route: Route, told: Description): Response {
  const { data, meta, summary } = told;
  const schema: Schema = {
    type: 'object',
    required: ['success', 'data', ...(meta ? ['meta'] : [])],
    properties: {
      success: { type: 'boolean', const: true },
      data: schemaOf(route.answer),
      ...(meta && { meta: schemaOf(meta.schema) }),
    },
  };
  const value = { success: true, data, ...(meta && { meta: meta.example }) };
  return {
    description: `${summary}.`,
    headers: headersOf(told),
    content: { 'application/json': { schema, examples: { demo: { value } } } },
  };
}

/** What can go wrong. A token can be refused anywhere, and so can a call that comes too early. */
function errorsOf(route: Route): [number, Ref][] {
  const parameters = parametersOf(route);
  const needsPermission = typeof route.access === 'object' || parameters.includes('expiry');
  const isPossible: Record<number, boolean> = {
    400: parameters.length > 0,
    403: needsPermission,
    404: ['id', 'artist', 'character'].some((name) => parameters.includes(name)),
  };
  return Object.entries(failures)
    .map(([status, { name }]): [number, Ref] => [Number(status), refTo('responses', name)])
    .filter(([status]) => isPossible[status] ?? true);
}
