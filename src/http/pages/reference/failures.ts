/** The errors that the API answers, and what they say. */
export interface Failure {
  name: string;
  description: string;
  /** What it says, by what happened. */
  messages: Record<string, string>;
  headers?: string[];
}

export const failures: Record<number, Failure> = {
  400: {
    name: 'BadRequest',
    description: 'A parameter or the id is wrong; the message says which, and how.',
    messages: {
      limit: 'Invalid limit: it must be a whole number from 1 to 25.',
      id: 'Invalid ID: it must be a UUID.',
      categories: 'Invalid categories: there is no category "dragons".',
      nsfw: 'Invalid nsfw: it must be one or more of "sfw", "questionable", "nsfw".',
      cursor: 'Invalid cursor: it is none of ours, or of another seed or other filters.',
      search: 'Invalid search query: "(" is never closed at character 4.',
    },
  },
  401: {
    name: 'Unauthorized',
    description:
      'The token is unknown, expired or revoked; or there is none, and the endpoint or `expiry` needs one.',
    messages: {
      invalid: 'Invalid token: it is unknown, expired or revoked.',
      missing: 'No token: this endpoint needs an access token, sent as "Authorization: Bearer <token>".',
    },
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    description: 'The token lacks the scope, or allows less than `expiry` asks for.',
    messages: {
      scope: 'The token lacks the permission "image:list".',
      expiry: 'The expiry exceeds what the token allows: at most 60 seconds.',
    },
  },
  404: {
    name: 'NotFound',
    description: 'There is no such record.',
    messages: { image: 'Image not found.', artist: 'Artist not found.' },
  },
  429: {
    name: 'TooManyRequests',
    description:
      'More than one request a second. The tenth time within an hour, the client is blocked for an hour.',
    messages: {
      early: 'Too many requests: one a second is allowed, wait 1 s.',
      blocked: 'You are blocked for exceeding the rate limit again and again: wait 3600 s.',
    },
    headers: ['Retry-After'],
  },
  500: {
    name: 'InternalError',
    description: 'A fault of the service.',
    messages: { fault: 'Something went wrong on our side. Please try again later.' },
  },
  503: {
    name: 'Unavailable',
    description: 'The service has too much to do, or its database is away for a moment.',
    messages: { away: 'The service is temporarily unavailable: try again in a second.' },
    headers: ['Retry-After'],
  },
};
