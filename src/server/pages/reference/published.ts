/**
 * The OpenAPI document as programs get it: without what only the page shows. Tools send every example at once, so only those stay that
 * work together on this catalogue, and many ignore a server that belongs to one path, so what is outside the prefixes is left out.
 */
import { type ExampleRecords, searchForArtist } from '../../../api/examples.ts';
import type { Kind } from '../../../catalogue/schemas.ts';
import { pagesTag } from './outside.ts';
import type { Components, OpenApi, Operation, Parameter, PathItem } from './responses.ts';

/** The parameters that leave out no image, or none that the others want. */
const HARMLESS = [
  ...['limit', 'offset', 'nsfw', 'embedRatings', 'match', 'include', 'entryInclude', 'search', 'sort'],
  ...['seed', 'width', 'strict'],
];

/** `origin` is empty if clients choose it. */
export function publishOpenApi(
  { servers, tags, paths, components, ...document }: OpenApi,
  origin: string,
  records: ExampleRecords,
): OpenApi {
  const published = Object.entries(paths).flatMap(([path, { get, servers }]): [string, PathItem][] =>
    servers ? [] : [[path, { get: withoutScopes(get) }]],
  );
  const parameters = Object.entries(components.parameters).map(([key, parameter]) => [
    key,
    { ...parameter, example: workingExample(key, parameter, records) },
  ]);
  const all = { ...components, parameters: Object.fromEntries(parameters) };
  return {
    ...document,
    servers: servers.map((server) => ({
      ...server,
      url: origin + (origin && server.url === '/' ? '' : server.url),
    })),
    tags: tags.filter((tag) => tag !== pagesTag),
    paths: Object.fromEntries(published),
    components: { ...usedParts(all, published), securitySchemes: components.securitySchemes },
  };
}

function workingExample(key: string, { in: location, example }: Parameter, records: ExampleRecords): unknown {
  if (location === 'path') return records[key.slice(0, -'Id'.length) as Kind | 'image'].id;
  if (key === 'categories') return records.categories.length > 0 ? records.categories : undefined;
  if (key === 'q') return searchForArtist(records.artist.name);
  return HARMLESS.includes(key) ? example : undefined;
}

/** Scopes belong to OAuth only. */
function withoutScopes({ security, description, ...operation }: Operation): Operation {
  const scopes = security.flatMap(({ token = [] }) => token);
  const note = scopes.map((scope) => ` It needs a token with the scope \`${scope}\`.`).join('');
  return {
    ...operation,
    description: description + note,
    security: security.map(({ token }) => (token ? { token: [] } : {})),
  };
}

/** What the paths refer to, directly or not. */
function usedParts(components: Components, paths: unknown): Components {
  const used = new Set<string>();
  const visit = (part: unknown) => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(
      /"#\/components\/(\w+)\/([\w-]+)"/g,
    )) {
      if (used.has(`${kind} ${name}`)) continue;
      used.add(`${kind} ${name}`);
      visit(Reflect.get(components[kind as keyof Components], name));
    }
  };
  visit(paths);
  const kinds = Object.entries(components).map(([kind, parts]) => [
    kind,
    Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`${kind} ${name}`))),
  ]);
  return Object.fromEntries(kinds);
}
