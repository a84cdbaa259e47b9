/** Builds the OpenAPI 3.1 document from the routes and schemas of the service itself. */
import { groups, type Route, type Services } from '../../../api/endpoint.ts';
import { type ExampleRecords, searchForArtist } from '../../../api/examples.ts';
import { readBrowserFiles, SCRIPT_TYPE, STYLE_TYPE } from '../../../assets/bundle.ts';
import { type Kind, uuidPattern } from '../../../catalogue/schemas.ts';
import {
  type Asset,
  makeAsset,
  once,
  onceFor,
  sendAsset,
  sendVersioned,
  versionOf,
} from '../../../http/assets.ts';
import { type Exchange, JSON_TYPE } from '../../../http/exchange.ts';
import type * as Type from '../../../lib/json-schema.ts';
import { license, version } from '../../../lib/version.ts';
import { accentStyle, admitPage, HTML_TYPE, scriptPolicy } from '../../../pages/html.ts';
import { readClientPackage } from '../client-package.ts';
import { buildComponents, idKey, parameterKey, toSchemaOrRef } from './components.ts';
import { type Examples, exampleReader } from './examples.ts';
import { pages, pagesTag } from './outside.ts';
import { referencePage } from './page.ts';
import {
  type Components,
  commonHeaders,
  errorResponses,
  headerRefs,
  type OpenApi,
  type Operation,
  type Parameter,
  type PathItem,
  type Ref,
  type Response,
  refTo,
  resolve,
  type Schema,
  tooManyPictures,
} from './responses.ts';

/** `perSecond` is the rate limit of the service; undefined if it has none. */
const introduction = (
  perSecond: number | undefined,
) => `All endpoints are \`GET\`, and most are open to everyone. \`HEAD\` works everywhere.

A success is \`{"success":true,"data":…}\`. An error is \`{"code":…,"message":…,"success":false}\`; its code is the HTTP \
status. If several errors apply, the first of these is returned: 429; 401 for a token that is invalid, or missing on \`/token\` \
and \`/image\`; 400; 401 for a valid \`expiry\` without a token; 403; 301 or 404.

Separate the values of a list with commas, or send it as \`name=a&name=b\`, \`name[]=a\` or \`name[0]=a\`. Unknown parameters \
are ignored, and \`X-Ignored-Parameters\` names them.

${describeLimit(perSecond)}

An endpoint ignores parameters that it does not list, \`expiry\` too.

Send a token as \`Authorization: Bearer <token>\`. \`/token\`, \`/image\` and \`expiry\` require one. An invalid token is \
rejected everywhere.

A \`search\` pattern must match the whole name and ignores case. \`%\` matches any text, \`_\` any character, \`a|b\` either \
alternative; \`*\`, \`+\`, \`?\`, \`{m,n}\`, \`(…)\` and \`[a-z]\` work as in regular expressions, and \`\\\` makes the next \
character literal.

The \`url\` of an image needs no token, is not rate-limited, and works until \`meta.expires\`.`;

function describeLimit(perSecond: number | undefined): string {
  if (perSecond === undefined) return 'This service has no rate limit.';
  const limit = perSecond === 1 ? 'one request' : `${perSecond} requests`;
  return (
    `The rate limit is ${limit} per second. \`X-RateLimit-Reset\` in every response is the number of seconds to wait ` +
    'before the next request.'
  );
}

const NOT_MODIFIED = 'Nothing has changed: `If-None-Match` matches.';

export function buildOpenApi(
  routes: readonly Route[],
  prefixes: readonly string[],
  version: string,
  perSecond: number | undefined,
  siteName = 'zukan',
): OpenApi {
  return {
    openapi: '3.1.1',
    info: {
      title: 'zukan',
      version,
      summary: 'An image catalogue: random images, artists, characters and categories.',
      description: introduction(perSecond),
      contact: { name: siteName },
      license: { name: license, identifier: license },
    },
    servers: prefixes.map((prefix, index) => ({
      url: prefix || '/',
      description: index === 0 ? 'The API' : `The same API at ${prefix || '/'}`,
    })),
    tags: [...Object.entries(groups).map(([name, description]) => ({ name, description })), pagesTag],
    paths: {
      ...Object.fromEntries(routes.map((route) => [route.path, { get: buildOperation(route) }])),
      ...pages,
    },
    components: buildComponents(routes),
  };
}

function buildOperation(route: Route): Operation {
  const { name, summary, description, group, hasETag } = route;
  return {
    operationId: name,
    summary,
    description,
    tags: [group],
    security: buildSecurity(route),
    parameters: parameterKeys(route).map((parameter) => refTo('parameters', parameter)),
    responses: {
      ...(route.data ? { 200: buildSuccess(route, route.data) } : redirectResponses),
      ...(route.followsMerges && { 301: MOVED }),
      ...(hasETag && { 304: { description: NOT_MODIFIED, headers: responseHeaders(route) } }),
      ...Object.fromEntries(possibleErrors(route)),
    },
  };
}

function parameterKeys({ path, query }: Route): string[] {
  const keys = Object.entries(query.properties).map(([name, rule]) => parameterKey(name, rule));
  const id = idKey(path);
  return [...(id ? [id] : []), ...keys];
}

function buildSecurity({ access }: Route): Record<string, string[]>[] {
  if (access === 'open') return [{}, { token: [] }];
  return [{ token: access === 'token' ? [] : [access.scope] }];
}

function responseHeaders({ isPaged, hasCursor, hasETag }: Route): Record<string, Ref> {
  return {
    ...commonHeaders,
    ...(isPaged && headerRefs('X-Total-Count', 'Link')),
    ...(hasCursor && headerRefs('X-Next-Cursor', 'Link')),
    ...(hasETag && headerRefs('ETag')),
  };
}

/** Most clients follow the redirect by themselves, so they get the response of the file. */
const redirectResponses: Record<string, Response> = {
  200: {
    description: 'The file, if the client follows the redirect.',
    headers: {},
    content: { 'image/*': { schema: {} } },
  },
  302: {
    description: 'The file is at the address in `Location`.',
    headers: { ...commonHeaders, ...headerRefs('Location') },
  },
};

const MOVED: Response = {
  description: 'The entry was merged into another one, which is at the address in `Location`.',
  headers: { ...commonHeaders, ...headerRefs('Location') },
};

function buildSuccess(route: Route, data: Type.TSchema): Response {
  const { meta, example } = route;
  const schema: Schema = {
    type: 'object',
    required: ['success', 'data', ...(meta ? ['meta'] : [])],
    properties: {
      success: { type: 'boolean', const: true },
      data: toSchemaOrRef(data),
      ...(meta && { meta: toSchemaOrRef(meta) }),
    },
  };
  const value = { success: true, data: example.data, ...(meta && { meta: example.meta }) };
  return {
    description: 'Success.',
    headers: responseHeaders(route),
    content: { 'application/json': { schema, examples: { demo: { value } } } },
  };
}

/** Any call may be rejected for its token (401) or its rate (429), or fail (500, 503). The others depend on the route. */
function possibleErrors(route: Route): [number, Ref][] {
  const parameters = parameterKeys(route);
  const rules = Object.values(route.query.properties) as { items?: { pattern?: string } }[];
  const hasId = idKey(route.path) !== undefined;
  const isPossible: Record<number, boolean> = {
    400: parameters.length > 0,
    403: typeof route.access === 'object' || parameters.includes('expiry'),
    410: 'since' in route.query.properties,
    404: !route.data || hasId || rules.some(({ items }) => items?.pattern === uuidPattern),
  };
  return Object.entries(errorResponses)
    .map(([status, { name }]): [number, Ref] => {
      const isEmbedLimit = route.isEmbed && status === '429';
      return [Number(status), refTo('responses', isEmbedLimit ? tooManyPictures.name : name)];
    })
    .filter(([status]) => isPossible[status] ?? true);
}

// Serves the reference: the OpenAPI document, the page, its script and its stylesheet. Each is built at the first visit.

/** The look of the gallery, and what only this page has. */
const styles = ['web/style.css', 'web/header.css', 'web/controls.css'].concat(
  ['layout', 'operations', 'trying'].map((name) => `web/reference/${name}.css`),
);

type Send = (exchange: Exchange) => void | Promise<void>;

/** By path. */
export function referencePages(services: Services, prefixes: readonly string[], routes: readonly Route[]) {
  const [prefix = ''] = prefixes;
  const document = onceFor(
    () => services.site.name,
    (name) => buildOpenApi(routes, prefixes, version, services.limiter?.perSecond, name),
  );
  const files = once(() => readBrowserFiles('reference'));
  // The page for what does not exist has the stylesheet only.
  const style = once(async () =>
    makeAsset((await files()).joinStyles(styles) + accentStyle(services.site.accent), STYLE_TYPE),
  );
  const script = once(async () => {
    const [code = ''] = await (await files()).readScripts();
    return makeAsset(code, SCRIPT_TYPE);
  });
  const client = once(readClientPackage);
  const readExamples = exampleReader(services, routes, prefix === '/' ? '' : prefix);
  /** The same for everyone, and made again when the examples change. */
  const remade = (make: (found: Examples) => Asset | Promise<Asset>) => {
    let latest: { key: string; asset: Asset } | undefined;
    return async (exchange: Exchange): Promise<Asset> => {
      const found = await readExamples(exchange);
      const key = JSON.stringify([found, services.site.name]);
      if (latest?.key !== key) latest = { key, asset: await make(found) };
      return latest.asset;
    };
  };
  const published = ({ records }: Examples) => publishOpenApi(document(), services.publicUrl ?? '', records);
  const json = remade((found) => makeAsset(JSON.stringify(published(found)), JSON_TYPE));
  const postman = remade((found) =>
    makeAsset(JSON.stringify(postmanCollection(published(found), found.origin)), JSON_TYPE),
  );
  const page = remade(async (found) => {
    const [ofStyle, ofScript] = await Promise.all([style(), script()]);
    const addresses = {
      style: `/docs.css?v=${versionOf(ofStyle)}`,
      script: `/docs.js?v=${versionOf(ofScript)}`,
    };
    return makeAsset(referencePage(document(), routes, found, services.site, addresses), HTML_TYPE);
  });
  return {
    '/openapi.json': async (exchange) => sendAsset(exchange, await json(exchange)),
    '/postman.json': async (exchange) => sendAsset(exchange, await postman(exchange)),
    '/client.tgz': async (exchange) => {
      // A checkout packs it, again after a failure.
      if (admitPage(services, exchange)) sendAsset(exchange, await client());
    },
    '/docs.css': async (exchange) => sendVersioned(exchange, await style()),
    '/docs.js': async (exchange) => sendVersioned(exchange, await script()),
    '/docs': async (exchange) => {
      const asset = await page(exchange);
      exchange.headers(scriptPolicy(services, exchange.request));
      await sendAsset(exchange, asset);
    },
  } satisfies Record<string, Send>;
}

// The OpenAPI document as programs get it: without what only the page shows. Tools send every example at once, so only those stay that
// work together on this catalogue, and many ignore a server that belongs to one path, so what is outside the prefixes is left out.

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
