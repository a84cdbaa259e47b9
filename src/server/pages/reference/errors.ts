/** The errors of the API, as the reference describes them. */
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
  429: {
    name: 'TooManyRequests',
    description:
      'The client sent more requests per second than `X-RateLimit-Limit`: one, unless the service is configured otherwise. Ten such violations within 3,600 seconds block it for an hour.',
    messages: {
      early: 'Too many requests: the limit is one per second. Try again in 1 s.',
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
