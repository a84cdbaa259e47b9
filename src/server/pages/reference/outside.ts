/** What the service offers outside the API prefixes, as the OpenAPI document describes it. */
import { image } from '../../../api/examples.ts';
import { parts } from '../../../lib/metrics.ts';
import { ATOM_TYPE, JSON_FEED_TYPE } from '../../../pages/html.ts';
import { feedQuery } from '../feed.ts';
import { errorResponse, parameterKey } from './components.ts';
import {
  commonHeaders,
  headerRefs,
  type Operation,
  type Parameter,
  type PathItem,
  type Response,
  refTo,
  requestIdHeader,
  type Schema,
} from './responses.ts';

export const pagesTag = {
  name: 'Other',
  description:
    'Feeds, files, health checks, metrics and this reference. They are outside the API prefixes and need no token. Feeds ' +
    'count against the rate limit of the API; pages have a limit of their own, and files have none.',
};

const text: Schema = { type: 'string' };
const integer: Schema = { type: 'integer' };
/** Possible everywhere. */
const tooLarge = { 431: refTo('responses', 'HeadersTooLarge') };
const failures = { 500: refTo('responses', 'InternalError'), 503: refTo('responses', 'Unavailable') };

const success = (content: Response['content'], ...headers: string[]): Response => ({
  description: 'Success.',
  headers: { ...requestIdHeader, ...headerRefs(...headers) },
  ...(content && { content }),
});
const json = (schema: Schema, value: object): Response['content'] => ({
  'application/json': { schema, examples: { usual: { value } } },
});
const notModified = (...headers: string[]): Response => ({
  ...success(undefined, ...headers),
  description: 'Nothing has changed: `If-None-Match` matches.',
});

function page(
  operationId: string,
  summary: string,
  description: string,
  responses: Operation['responses'],
  parameters: Operation['parameters'] = [],
): PathItem {
  return {
    servers: [{ url: '/', description: 'Outside the API prefixes' }],
    get: {
      operationId,
      summary,
      description,
      tags: [pagesTag.name],
      security: [{}],
      parameters,
      responses: { ...responses, ...tooLarge },
    },
  };
}

const [, name = '', expires = '', signature = ''] =
  /\/files\/(.+)\?expires=(.+)&signature=(.+)$/.exec(image.url) ?? [];
const linkPart = (
  name: string,
  location: 'path' | 'query',
  description: string,
  schema: Schema,
  example: unknown,
): Parameter => ({ name, in: location, required: true, description, schema, example });
const linkParameters = [
  linkPart('name', 'path', 'The name of the file.', text, name),
  linkPart('expires', 'query', 'When the link expires, in seconds since 1970.', integer, Number(expires)),
  linkPart('signature', 'query', 'Signs the name and the time.', text, signature),
];
const fileHeaders = ['ETag', 'Cache-Control', 'Accept-Ranges'];
const bytes = { 'image/*': { schema: {} } };
const linkError = (status: number, description: string, message: string, ...headers: string[]) =>
  errorResponse(status, { description, messages: { link: message }, headers }, requestIdHeader);
const OUTSIDE = 'The range lies outside the file.';
const fileResponses = {
  200: success(bytes, ...fileHeaders, 'Content-Disposition'),
  206: {
    ...success(bytes, ...fileHeaders, 'Content-Disposition', 'Content-Range'),
    description: 'The part that `Range` asks for.',
  },
  304: notModified(...fileHeaders),
  416: linkError(416, OUTSIDE, OUTSIDE, 'Content-Range'),
  ...failures,
};
const pictureParameters = [
  linkPart('id', 'path', 'The id of the image, in lower case.', text, image.id),
  linkPart(
    'name',
    'path',
    'The longest side of one of its thumbnails, such as `480.webp`, or `original` with the ending of its type.',
    text,
    '480.webp',
  ),
];
/** For a person who opens the link in a browser. */
const withPage = (response: Response): Response => ({
  ...response,
  content: { ...response.content, 'text/html': { schema: text } },
});

const status = (...values: string[]): Schema => ({ type: 'string', enum: values });
const readiness: Schema = {
  type: 'object',
  required: ['status'],
  properties: {
    status: status('ready', 'degraded', 'unavailable'),
    parts: {
      type: 'object',
      description: 'What is wrong with each degraded part. Only sent to the networks in `METRICS_ALLOW`.',
      properties: Object.fromEntries(parts.map((part) => [part, text])),
    },
  },
};
const unreadable = 'the catalogue cannot be read; the API returns errors';
const asset = (type: string, schema: Schema, ...headers: string[]) => ({
  200: success({ [type]: { schema } }, 'ETag', ...headers),
  304: notModified('ETag', ...headers),
});

const feed = (operationId: string, format: string, type: string, schema: Schema) =>
  page(
    operationId,
    `Get the latest images as ${format}`,
    'For feed readers: the newest images that match the filters, with a picture each; without `nsfw`, those rated sfw. A ' +
      'page has 25 of them, and the feed links to the next one.',
    {
      ...asset(type, schema, 'Cache-Control', ...Object.keys(commonHeaders)),
      ...failures,
      400: refTo('responses', 'BadRequest'),
      401: refTo('responses', 'Unauthorized'),
      404: refTo('responses', 'NotFound'),
      429: refTo('responses', 'TooManyRequests'),
    },
    Object.entries(feedQuery).map(([name, rule]) => refTo('parameters', parameterKey(name, rule))),
  );

const pageErrors = {
  ...failures,
  429: linkError(
    429,
    'The client loads pages too fast. This never blocks it.',
    'Too many pages at once. Try again in a second.',
    'Retry-After',
  ),
};

export const pages: Record<string, PathItem> = {
  '/feed.xml': feed('atomFeed', 'an Atom feed', ATOM_TYPE, text),
  '/feed.json': feed('jsonFeed', 'a JSON Feed', JSON_FEED_TYPE, { type: 'object' }),
  '/pictures/{id}/{name}': page(
    'picture',
    'Get a picture at its lasting address',
    'For pages. Browsers keep a picture for a day. `?v=` with the first ten characters of the entity tag of the image shows ' +
      'a replaced file at once; another `v` leads to the current one. Supports `Range`, `If-Range` and `If-None-Match`.',
    {
      ...fileResponses,
      302: {
        ...success(undefined, 'Location', 'Cache-Control'),
        description: 'To the current version, or to a link to the file in a bucket.',
      },
      404: refTo('responses', 'NotFound'),
    },
    pictureParameters,
  ),
  '/files/{name}': page(
    'fileBytes',
    'Get the file of an image',
    'The `url` of an image leads here, unless the files are in a bucket. Supports `Range`, `If-Range` and ' +
      '`If-None-Match`.',
    {
      ...fileResponses,
      403: withPage(
        linkError(403, 'The link was altered.', 'The link is not valid: ask the API for a new one.'),
      ),
      404: refTo('responses', 'NotFound'),
      410: withPage(
        linkError(410, 'The link has expired.', 'The link has expired: ask the API for a new one.'),
      ),
    },
    linkParameters,
  ),
  '/health/live': page('live', 'Check that the process responds', 'Uses no other part of the service.', {
    200: success(
      json({ type: 'object', required: ['status'], properties: { status: status('ok') } }, { status: 'ok' }),
    ),
  }),
  '/health/ready': page(
    'ready',
    'Check that the service works',
    'Uses every part of it: the catalogue, tokens, files, the rate limit and database replicas.',
    {
      200: {
        ...success(json(readiness, { status: 'ready' })),
        description: 'Requests succeed. If a part is degraded, some may fail.',
      },
      500: failures[500],
      503: {
        ...success(json(readiness, { status: 'unavailable', parts: { catalogue: unreadable } })),
        description: 'The catalogue cannot be read.',
      },
    },
  ),
  '/metrics': page('metrics', 'Get metrics', 'In the text format of Prometheus.', {
    200: success({ 'text/plain': { schema: text } }),
    404: linkError(
      404,
      'The address of the client is not in `METRICS_ALLOW`.',
      'There is nothing at this address.',
    ),
    500: failures[500],
  }),
  '/docs': page('reference', 'Read this reference', 'A web page.', asset('text/html', text)),
  '/openapi.json': page(
    'openapi',
    'Get this reference as OpenAPI',
    'Every endpoint of the API, with examples that work on this catalogue.',
    asset('application/json', { type: 'object' }),
  ),
  '/postman.json': page(
    'postman',
    'Get a Postman collection',
    'Every endpoint of the API, to be imported into Postman.',
    asset('application/json', { type: 'object' }),
  ),
  '/client.tgz': page(
    'clientPackage',
    'Get the package of the typed client',
    'For `npm install`, Yarn, pnpm and Bun. A checkout without the compiler has none.',
    { ...asset('application/gzip', {}), ...pageErrors, 404: refTo('responses', 'NotFound') },
  ),
  '/favicon.ico': page(
    'icon',
    'Get the icon of the site',
    'Browsers show it next to the title of a page.',
    asset('image/*', {}, 'Cache-Control'),
  ),
  '/manifest.webmanifest': page(
    'manifest',
    'Get the manifest of the site',
    'Its name, colours and icons, for browsers that install the gallery.',
    asset('application/manifest+json', { type: 'object' }),
  ),
  '/robots.txt': page(
    'robots',
    'Get the rules for crawlers',
    'Names the sitemap.',
    asset('text/plain', text),
  ),
  '/sitemap.xml': page(
    'sitemap',
    'Get the index of the sitemap',
    'Its parts have the pages of the gallery for search engines, and images rated sfw.',
    { ...asset('application/xml', text), ...pageErrors },
  ),
};
