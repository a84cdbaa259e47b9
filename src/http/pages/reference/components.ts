/** What the endpoints of the document share: shapes by name, parameters, headers and errors. */
import type Type from 'typebox';
import * as schemas from '../../../schemas.ts';
import * as parameters from '../../api/parameters.ts';
import { errorBody } from '../../server/errors.ts';
import { ids } from './descriptions.ts';
import { type Failure, failures } from './failures.ts';
import type { Components, Header, Parameter, Ref, Response, Schema } from './types.ts';

const named: Record<string, Type.TSchema> = {
  Image: schemas.Image,
  ArtistImage: schemas.ArtistImage,
  Artist: schemas.Artist,
  ArtistWithImages: schemas.ArtistWithImages,
  Character: schemas.Character,
  CharacterWithImages: schemas.CharacterWithImages,
  Category: schemas.Category,
  CategoryWithImages: schemas.CategoryWithImages,
  Statistics: schemas.Statistics,
  TokenInformation: schemas.TokenInformation,
  ServiceMeta: schemas.ServiceMeta,
  Error: schemas.ErrorAnswer,
  Source: schemas.Source,
  Rating: schemas.Rating,
  Orientation: schemas.Orientation,
  Mimetype: schemas.Mimetype,
};
const names = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]));

export function refTo(kind: keyof Components, name: string): Ref {
  return { $ref: `#/components/${kind}/${name}` };
}

/** A schema as the document has it: what has a name is referred to by it. */
export function schemaOf(schema: Type.TSchema): Schema {
  const name = names.get(schema);
  return name === undefined ? plain(schema) : refTo('schemas', name);
}

/** The schema itself, as JSON; a choice of texts becomes an `enum`, which more tools understand. */
function plain(schema: object): Schema {
  const { anyOf, ...rest } = schema as Schema;
  if (anyOf?.every((choice) => typeof choice.const === 'string'))
    return { type: 'string', enum: anyOf.map((choice) => choice.const), ...rest };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, described(value)]));
}

function described(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(described);
  return typeof value === 'object' && value !== null ? schemaOf(value as Type.TSchema) : value;
}

function parameterOf(name: string, rule: Type.TSchema, example: unknown): Parameter {
  const { description = '', ...schema } = plain(rule);
  return {
    ...{ name, in: 'query', required: false, description, schema, example },
    ...(schema.type === 'array' && { explode: false }),
  };
}

const id: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the record, a UUID in either case.',
  schema: plain(schemas.Artist.properties.id),
  example: ids.artist,
};

const count: Schema = { type: 'integer', minimum: 0 };
const words: Schema = { type: 'string' };
const header = (description: string, schema: Schema, example: unknown): Header => ({
  ...{ description, schema, example },
});

const rateHeaders: Record<string, Header> = {
  'X-RateLimit-Limit': header('How many requests a second are allowed.', count, 1),
  'X-RateLimit-Remaining': header('How many are left for now.', count, 0),
  'X-RateLimit-Reset': header('How many seconds to wait for the next request.', count, 1),
  RateLimit: header("The same, as the IETF's draft has it.", words, '"default";r=0;t=1'),
  'RateLimit-Policy': header("The limit, as the IETF's draft has it.", words, '"default";q=1;w=1'),
};
const requestId: Header = {
  ...header(
    'What the log of the service knows the request by.',
    words,
    '6f0c3a5e-53c5-4b0f-8f5a-0d1c5ad1f0b1',
  ),
  required: true,
};

/** On every answer. */
export const commonHeaders = headerRefs('X-Request-Id', ...Object.keys(rateHeaders));

export function headerRefs(...headers: string[]): Record<string, Ref> {
  return Object.fromEntries(headers.map((name) => [name, refTo('headers', name)]));
}

function responseOf(status: number, { description, messages, headers = [] }: Failure): Response {
  const examples = Object.entries(messages).map(([name, message]) => [
    ...[name, { value: JSON.parse(errorBody(status, message)) }],
  ]);
  return {
    description,
    headers: { ...commonHeaders, ...headerRefs(...headers) },
    content: {
      'application/json': { schema: refTo('schemas', 'Error'), examples: Object.fromEntries(examples) },
    },
  };
}

export const components: Components = {
  schemas: Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, plain(schema)])),
  parameters: {
    id,
    limit: parameterOf('limit', parameters.limit, 10),
    offset: parameterOf('offset', parameters.offset, 0),
    expiry: parameterOf('expiry', parameters.expiry, 86_400),
    search: parameterOf('search', parameters.search, '%ink%'),
    categories: parameterOf('categories', parameters.categories, ['foxgirl', 'kimono']),
    match: parameterOf('match', parameters.match, 'any'),
    exclude: parameterOf('exclude', parameters.exclude, ['night', 'rain']),
    nsfw: parameterOf('nsfw', parameters.nsfw, ['sfw']),
    orientation: parameterOf('orientation', parameters.orientation, ['portrait', 'square']),
    artist: parameterOf('artist', parameters.artist, ids.artist),
    character: parameterOf('character', parameters.character, ids.character),
    seed: parameterOf('seed', parameters.seed, '2026-11-14'),
    cursor: parameterOf('cursor', parameters.cursor, 'AAJiasLMtmKK5gn1iDFdLTXiK_iN'),
  },
  headers: {
    'X-Request-Id': requestId,
    ...rateHeaders,
    'X-Total-Count': { ...header('How long the whole list is.', count, 68), required: true },
    'X-Next-Cursor': header(
      'The `cursor` of what follows, where there was a `seed` and there is more.',
      words,
      'AAJiasLMtmKK5gn1iDFdLTXiK_iN',
    ),
    Link: header(
      'Where the next and the previous page are.',
      words,
      '</api/artist?limit=5&offset=5>; rel="next"',
    ),
    ETag: {
      ...header(
        'Send it back in `If-None-Match`, to be told (304) that nothing has changed.',
        words,
        'W/"x4Jk"',
      ),
      required: true,
    },
    'Retry-After': { ...header('How many seconds to wait.', count, 1), required: true },
    'WWW-Authenticate': { ...header('How to authenticate.', words, 'Bearer'), required: true },
  },
  responses: Object.fromEntries(
    Object.entries(failures).map(([status, failure]) => [failure.name, responseOf(Number(status), failure)]),
  ),
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer', description: 'An access token, which the operator makes.' },
  },
};
