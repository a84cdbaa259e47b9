/**
 * The OpenAPI document as programs get it: without what only the page shows. Tools send every example at once, so only those stay that
 * work together on this catalogue, and many ignore a server that belongs to one path, so what is outside the prefixes is left out.
 */
import { type ExampleRecords, searchForArtist } from '../../../api/examples.ts';
import type { Kind } from '../../../catalogue/schemas.ts';
import { pagesTag } from './outside.ts';
import {
  type Components,
  type OpenApi,
  type Operation,
  type Parameter,
  type PathItem,
  resolve,
} from './responses.ts';

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

// A Postman collection (v2.1) of the published OpenAPI document. Every request works as it is; optional parameters wait to be ticked.

export function postmanCollection(document: OpenApi, origin: string): object {
  const { info, tags, paths, components, servers } = document;
  const item = ([path, { get }]: [string, PathItem]) => {
    const parameters = get.parameters.map((part) => resolve(components.parameters, part));
    const text = ({ example }: Parameter) => String(example ?? '');
    const toPart = (parameter: Parameter) => ({
      key: parameter.name,
      value: text(parameter),
      description: parameter.description,
    });
    const [ids, query] = [
      parameters.filter((one) => one.in === 'path'),
      parameters.filter((one) => one.in === 'query'),
    ];
    const postmanPath = path.replaceAll(/\{(\w+)\}/g, ':$1');
    return {
      name: get.summary,
      request: {
        method: 'GET',
        description: get.description,
        auth: get.security.every(({ token }) => token)
          ? { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] }
          : { type: 'noauth' },
        url: {
          raw: `{{baseUrl}}${postmanPath}`,
          host: ['{{baseUrl}}'],
          path: postmanPath.split('/').filter(Boolean),
          query: query.map((parameter) => ({ ...toPart(parameter), disabled: true })),
          variable: ids.map(toPart),
        },
      },
    };
  };
  const base = (servers[0]?.url ?? '').replace(/^\/$/, '');
  return {
    info: {
      name: info.contact.name,
      description: info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [
      { key: 'baseUrl', value: base.startsWith('/') || base === '' ? origin + base : base },
      { key: 'token', value: '' },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: Object.entries(paths)
        .filter(([, { get }]) => get.tags.includes(name))
        .map(item),
    })),
  };
}
