/** The `components` of the OpenAPI document: what its operations share. */
import type { Route } from '../../../api/endpoint.ts';
import { demoRecords } from '../../../api/examples.ts';
import * as parameters from '../../../api/parameters.ts';
import * as schemas from '../../../catalogue/schemas.ts';
import { errorBody } from '../../../http/exchange.ts';
import type * as Type from '../../../lib/json-schema.ts';
import {
  type Components,
  commonHeaders,
  type ErrorResponse,
  errorResponses,
  headerRefs,
  headers,
  type Parameter,
  type Ref,
  type Response,
  refTo,
  requestIdHeader,
  type Schema,
  tooManyPictures,
} from './responses.ts';

/** The schemas that the reference shows by name. */
const namedSchemas: Record<string, Type.TSchema> = {
  Image: schemas.Image,
  ArtistImage: schemas.ArtistImage,
  ImageChange: schemas.ImageChange,
  Artist: schemas.ArtistDetails,
  ArtistWithImages: schemas.ArtistWithImages,
  ListedArtist: schemas.ListedArtist,
  Character: schemas.Character,
  CharacterWithImages: schemas.CharacterWithImages,
  ListedCharacter: schemas.ListedCharacter,
  Category: schemas.Category,
  CategoryWithImages: schemas.CategoryWithImages,
  ListedCategory: schemas.ListedCategory,
  AlbumWithImages: schemas.AlbumWithImages,
  ListedAlbum: schemas.ListedAlbum,
  Cover: schemas.OptionalCover,
  SearchResults: schemas.SearchResult,
  Statistics: schemas.Statistics,
  TokenInformation: schemas.TokenInformation,
  ServiceMeta: schemas.ServiceMeta,
  Error: schemas.ErrorBody,
  Source: schemas.Source,
  Rating: schemas.Rating,
  Orientation: schemas.Orientation,
  Mimetype: schemas.Mimetype,
};

const names = new Map<unknown, string>(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]));

export function buildComponents(routes: readonly Route[]): Components {
  return {
    schemas: Object.fromEntries(
      Object.entries(namedSchemas).map(([name, schema]) => [name, toJsonSchema(schema)]),
    ),
    parameters: Object.fromEntries(
      routes.flatMap((route) => [...idParameter(route), ...queryParameters(route)]),
    ),
    headers,
    responses: {
      ...Object.fromEntries(
        Object.entries(errorResponses).map(([status, error]) => [
          error.name,
          errorResponse(Number(status), error, error.isBeforeLimit ? requestIdHeader : commonHeaders),
        ]),
      ),
      [tooManyPictures.name]: withPicture(errorResponse(429, tooManyPictures, commonHeaders)),
    },
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer', description: 'An access token, issued by the operator.' },
    },
  };
}

/** A schema as the document shows it: by reference if it has a name. */
export function toSchemaOrRef(schema: Type.TSchema): Schema {
  const name = names.get(schema);
  return name === undefined ? toJsonSchema(schema) : refTo('schemas', name);
}

/** The formats that tools know. All that the pattern matches has the format. */
const formats = new Map([
  [schemas.uuidPattern, 'uuid'],
  [schemas.timestampPattern, 'date-time'],
]);

/**
 * A choice of texts becomes an `enum`, which more tools understand. Objects are open: a client that was generated from the
 * document must accept the fields of later versions.
 */
function toJsonSchema(schema: object): Schema {
  const { anyOf, ...rest } = schema as Schema;
  if (anyOf?.every((choice) => typeof choice.const === 'string'))
    return { type: 'string', enum: anyOf.map((choice) => choice.const), ...rest };
  const converted = Object.entries(schema).map(([key, value]) => [key, convertNested(value)]);
  const format = formats.get(rest.pattern ?? '');
  return { ...Object.fromEntries(converted), ...(format && { format }) };
}

function convertNested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convertNested);
  return typeof value === 'object' && value !== null ? toSchemaOrRef(value as Type.TSchema) : value;
}

/** The key of the id in a path: `/image/{id}/file` has an `imageId`. Undefined without one. */
export function idKey(path: string): string | undefined {
  const [, kind] = /^\/(\w+)\/\{id\}/.exec(path) ?? [];
  return kind && `${kind}Id`;
}

/** Each kind of record has one, so that its example is the id of such a record. */
function idParameter({ path, example }: Route): [string, Parameter][] {
  const key = idKey(path);
  if (!key) return [];
  const kind = key.slice(0, -'Id'.length);
  const description = `The id of the ${kind}: a UUID in upper or lower case.`;
  const examples = [example.call?.(demoRecords).id];
  return [[key, toParameter('id', { ...parameters.id, description, examples }, 'path')]];
}

function queryParameters({ query }: Route): [string, Parameter][] {
  return Object.entries(query.properties).map(([name, rule]) => [
    parameterKey(name, rule),
    toParameter(name, rule, 'query'),
  ]);
}

/** The key of a query parameter in the document. Some have the same name. */
export function parameterKey(name: string, rule: Type.TSchema): string {
  if (rule === parameters.embedFilters.nsfw) return 'embedRatings';
  if (rule === parameters.listFilters.q) return 'textFilter';
  return rule === parameters.entryInclude ? 'entryInclude' : name;
}

function toParameter(name: string, rule: Type.TSchema, location: 'path' | 'query'): Parameter {
  const { description = '', examples = [], ...schema } = toJsonSchema(rule);
  return {
    name,
    in: location,
    required: location === 'path',
    description,
    schema,
    example: examples[0],
    ...(schema.type === 'array' && { explode: false }),
  };
}

function withPicture(response: Response): Response {
  return { ...response, content: { ...response.content, 'image/svg+xml': { schema: {} } } };
}

export function errorResponse(
  status: number,
  { description, messages, headers = [] }: Omit<ErrorResponse, 'name'>,
  common: Record<string, Ref>,
): Response {
  const examples = Object.entries(messages).map(([cause, message]) => [
    ...[cause, { value: JSON.parse(errorBody(status, message)) }],
  ]);
  return {
    description,
    headers: { ...common, ...headerRefs(...headers) },
    content: {
      'application/json': { schema: refTo('schemas', 'Error'), examples: Object.fromEntries(examples) },
    },
  };
}
