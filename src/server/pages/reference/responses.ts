/** The errors and the response headers of the API, as the reference describes them. */

export interface ErrorResponse {
  name: string;
  description: string;
  /** Example messages by cause. */
  messages: Record<string, string>;
  headers?: string[];
  /** Sent before the rate limit is checked, so without its headers. */
  isBeforeLimit?: true;
}

export const errorResponses: Record<number, ErrorResponse> = {
  400: {
    name: 'BadRequest',
    description: 'A parameter or the id is invalid. The message says which one, and why.',
    messages: {
      limit: 'Invalid limit: it must be a whole number from 1 to 25.',
      id: 'Invalid ID: it must be a UUID.',
      categories: 'Invalid categories: there is no category "dragons".',
      nsfw: 'Invalid nsfw: it must be one or more of "sfw", "questionable", "nsfw".',
      cursor: 'Invalid cursor: it was not issued by this service, or belongs to a different seed or filters.',
      search: 'Invalid search query: unterminated group at character 4.',
    },
  },
  401: {
    name: 'Unauthorized',
    description:
      'The token is unknown, expired or revoked, or there is no token and the endpoint or `expiry` requires one.',
    messages: {
      invalid: 'Invalid token: it is unknown, expired or revoked.',
      missing: 'No token: this endpoint requires one. Send it as "Authorization: Bearer <token>".',
    },
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    description: 'The token lacks the scope, or allows only a shorter `expiry`.',
    messages: {
      scope: 'The token lacks the scope "image:list".',
      expiry: 'The token allows an expiry of at most 60 seconds.',
    },
  },
  404: {
    name: 'NotFound',
    description: 'The record does not exist, or no image matches the filters.',
    messages: {
      image: 'Image not found.',
      artist: 'Artist not found.',
      random: 'No image matches the filters.',
    },
  },
  410: {
    name: 'Gone',
    description: 'The history no longer goes back to `since`.',
    messages: {
      since: 'The history no longer goes back to this cursor: forget your copy, and start again without it.',
    },
  },
  429: {
    name: 'TooManyRequests',
    description:
      'The client sent more requests per second than `X-RateLimit-Limit`. Ten such violations within 3,600 seconds block it for an hour.',
    messages: {
      early:
        'Too many requests: the limit is one per second. Try again in 1 s. ' +
        '9 more refusals within this hour will block you for an hour.',
      blocked: 'You are blocked for exceeding the rate limit repeatedly. Try again in 3600 s.',
    },
    headers: ['Retry-After'],
  },
  431: {
    name: 'HeadersTooLarge',
    description: 'The request line and the headers are longer than 16 KB. The connection is closed.',
    messages: { size: 'Request Header Fields Too Large.' },
    isBeforeLimit: true,
  },
  500: {
    name: 'InternalError',
    description: 'An internal error.',
    messages: { internal: 'Something went wrong on our side. Please try again later.' },
  },
  503: {
    name: 'Unavailable',
    description: 'The service is overloaded, or its database is temporarily unavailable.',
    messages: { unavailable: 'The service is temporarily unavailable: try again in a second.' },
    headers: ['Retry-After'],
  },
};

/** The 429 of redirects to files. Browsers get a picture instead, if they ask for one. */
export const tooManyPictures: ErrorResponse = {
  name: 'TooManyPictures',
  description:
    'The client was sent to more files than `X-RateLimit-Limit` at once, or to more than one per second after that. This never blocks it.',
  messages: {
    pictures: 'Too many pictures at once: the limit is 30, and one per second after that. Try again in 1 s.',
  },
  headers: ['Retry-After'],
};

const count: Schema = { type: 'integer', minimum: 0 };
const text: Schema = { type: 'string' };

const optional = (description: string, schema: Schema, example: unknown): Header => ({
  description,
  schema,
  example,
});
const required = (description: string, schema: Schema, example: unknown): Header => ({
  ...optional(description, schema, example),
  required: true,
});

/** Missing only if the operator has turned the limit off. An exempt client has always all requests left. */
const rateHeaders: Record<string, Header> = {
  'X-RateLimit-Limit': optional(
    'The number of requests allowed per second. The service sends the rate-limit headers unless its limit is off.',
    count,
    1,
  ),
  'X-RateLimit-Remaining': optional(
    'The number of requests left at the moment. A client that is exempt always has all of them left.',
    count,
    0,
  ),
  'X-RateLimit-Reset': optional(
    'The number of seconds to wait before the next request, rounded up; 0 if one is left.',
    count,
    1,
  ),
  'X-RateLimit-Refusals-Left': optional(
    'How many more refusals will block the client. Missing if none was counted within the last hour.',
    count,
    9,
  ),
  RateLimit: optional('The same in the format of the IETF draft.', text, '"default";r=0;t=1'),
  'RateLimit-Policy': optional('The limit in the format of the IETF draft.', text, '"default";q=1;w=1'),
};

export const headers: Record<string, Header> = {
  'X-Request-Id': required(
    'Identifies the request in the log of the service.',
    text,
    '6f0c3a5e-53c5-4b0f-8f5a-0d1c5ad1f0b1',
  ),
  'X-Ignored-Parameters': optional(
    'Names of parameters in the request that the endpoint does not take and has ignored. At most ten names; `...` stands ' +
      'for more. Missing if there are none.',
    text,
    'category, tags',
  ),
  ...rateHeaders,
  'X-Total-Count': required('The number of records in the whole list.', count, 68),
  'X-Next-Cursor': optional(
    'The `cursor` of the next page, if there is one. `/image/random` sends it only with a `seed`.',
    text,
    'AAJiasLMtmKK5gn1iDFdLTXiK_iN',
  ),
  Link: optional(
    'Links to the next and the previous page.',
    text,
    '<https://example.org/api/artist?limit=5&offset=5>; rel="next"',
  ),
  Location: required(
    'The address of the file, or of the entry that another one was merged into.',
    { ...text, format: 'uri' },
    'https://example.org/files/acf33ea2-7f98-5b67-a500-77e562ea8d82.webp?expires=1767229200&signature=Zm94ZXM',
  ),
  ETag: required('Send it as `If-None-Match` to get a 304 if nothing has changed.', text, 'W/"x4Jk"'),
  'Cache-Control': required('How long the response may be cached.', text, 'public, max-age=3540'),
  'Content-Disposition': required(
    'Shows the picture, and saves it under a name with its title.',
    text,
    'inline; filename="koharu-and-ren-in-autumn-acf33ea2.webp"',
  ),
  'Accept-Ranges': required('Parts of the file can be requested with `Range`.', text, 'bytes'),
  'Content-Range': required('The part that was sent, and the size of the file.', text, 'bytes 0-99/41236'),
  'Retry-After': required('The number of seconds to wait.', count, 1),
  'WWW-Authenticate': required('The authentication scheme.', text, 'Bearer'),
};

export function headerRefs(...names: string[]): Record<string, Ref> {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

/** On every response. */
export const requestIdHeader = headerRefs('X-Request-Id');
/** Possible on every response of the API. */
export const commonHeaders = {
  ...requestIdHeader,
  ...headerRefs('X-Ignored-Parameters', ...Object.keys(rateHeaders)),
};

/** The parts of OpenAPI that our document uses. */
export interface OpenApi {
  openapi: string;
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    contact: { name: string };
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: Components;
}

export interface PathItem {
  /** Only on paths outside the API prefixes. */
  servers?: OpenApi['servers'];
  get: Operation;
}

export interface Components {
  schemas: Record<string, Schema>;
  parameters: Record<string, Parameter>;
  headers: Record<string, Header>;
  responses: Record<string, Response>;
  securitySchemes: Record<string, object>;
}

export interface Ref {
  $ref: string;
}

export function refTo(kind: keyof Components, name: string): Ref {
  return { $ref: `#/components/${kind}/${name}` };
}

export const nameIn = ({ $ref }: Ref): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** What a reference refers to; anything else is itself. */
export function resolve<Part extends object>(parts: Record<string, Part>, part: Part | Ref): Part {
  return '$ref' in part ? (parts[nameIn(part as Ref)] as Part) : part;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters: (Ref | Parameter)[];
  responses: Record<string, Response | Ref>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description: string;
  schema: Schema;
  example: unknown;
  /** Values are separated by commas. */
  explode?: false;
}

export interface Header {
  description: string;
  required?: true;
  schema: Schema;
  example: unknown;
}

export interface Response {
  description: string;
  headers: Record<string, Ref>;
  /** By media type. */
  content?: Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }>;
}

export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
}
