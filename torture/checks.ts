/** Checks that a response is explained: its status fits the request, and its headers and body are as documented. */
import { decodePath } from '../src/http/server.ts';
import { assertDescribed } from '../test/support/zukan/contract.ts';
import type { Answer } from './connection.ts';
import { type FuzzRequest, prefixes } from './requests.ts';

/** What the server is going through. */
export interface Situation {
  hasLimiter: boolean;
  /** A 503 is expected, because the database is being stopped. */
  mayBeUnavailable: boolean;
  /** A connection may be closed without a response, because its thread hangs. The client then tries again. */
  mayBeCut: boolean;
}

/** Statuses outside of the API prefixes. */
const statuses: Record<FuzzRequest['kind'], number[]> = {
  API: [],
  files: [200, 206, 304, 403, 404, 410, 416],
  pages: [200, 304, 404],
  'unknown paths': [200, 304, 404],
  malformed: [200, 204, 400, 401, 404, 405, 408, 417, 429],
};
/** The service information, for clients that do not prefer a page. */
const ROOT_STATUSES = [200, 304, 401, 429];
const FEED_STATUSES = [200, 304, 400, 401, 404, 429];
const NOT_HTTP = /^(Bad Request|Request Header Fields Too Large|Request Timeout)[.:]/;

/** Returns what is wrong with a response, or undefined. */
export function findProblem(request: FuzzRequest, answer: Answer, situation: Situation): string | undefined {
  try {
    checkAnswer(request, answer, situation);
    return undefined;
  } catch (error) {
    return `${answer.status}: ${(error as Error).message}`;
  }
}

function checkAnswer(request: FuzzRequest, answer: Answer, situation: Situation): void {
  const { status, headers } = answer;
  expect(headers['x-request-id'], 'no X-Request-Id');
  const isHealth = request.path.startsWith('/health/');
  if (status >= 500) {
    expect(status === 503 && situation.mayBeUnavailable, 'unexplained server error');
    expect(headers['retry-after'] ?? isHealth, 'a 503 without Retry-After');
  }
  const hasErrorBody = status >= 400 && request.method !== 'HEAD' && !(isHealth && status === 503);
  const message = hasErrorBody ? checkErrorBody(request, answer) : '';
  if (isRejection(request, answer, message)) return;
  expect(headers['x-content-type-options'] === 'nosniff', 'no X-Content-Type-Options');
  const isPrivate = /^\/(health\/(live|ready)|metrics)\/?$/.test(request.path);
  const allowed = headers['access-control-allow-origin'];
  expect(allowed === (isPrivate ? undefined : '*'), `Access-Control-Allow-Origin: ${allowed}`);
  if (status === 417) expect(/\r\nExpect: /.test(request.text), 'nothing was expected');
  else if (request.kind === 'malformed') expect(isExpected(status, statuses.malformed), 'unexplained status');
  else if (request.method === 'OPTIONS') expect(status === 204 && headers.allow, 'not a preflight response');
  else if (isUnderPrefix(request.path)) checkApiAnswer(request, answer, situation);
  else if (isRead(request)) expect(isExpected(status, statusesOf(request)), 'unexplained status');
  else expect((status === 405 && headers.allow) || status === 404, 'unexplained status');
}

/** Input that is not HTTP is rejected before its method is known. */
function isRejection({ isOdd, method }: FuzzRequest, { status, headers }: Answer, message: string): boolean {
  const isClosed = headers.connection === 'close' && [400, 408, 431].includes(status);
  return isOdd && isClosed && (method === 'HEAD' || NOT_HTTP.test(message));
}

function checkApiAnswer(request: FuzzRequest, answer: Answer, { hasLimiter }: Situation): void {
  const { status, headers } = answer;
  if (status === 429) {
    expect(hasLimiter, 'limited without a limit');
    expect(Number(headers['retry-after']) > 0, 'a 429 without Retry-After');
  }
  if (hasLimiter && status < 500) expect(headers['x-ratelimit-limit'], 'no X-RateLimit-Limit');
  if (isRead(request)) {
    assertDescribed(request.method, { pathname: request.path }, answer);
  } else {
    expect(status !== 405 || headers.allow, 'a 405 without Allow');
    expect(isExpected(status, [401, 404, 405, 429]), 'unexplained status');
  }
}

const isRead = ({ method }: FuzzRequest) => method === 'GET' || method === 'HEAD';

function statusesOf({ kind, path }: FuzzRequest): number[] {
  // A trailing slash makes no difference.
  if (/^\/feed\.(xml|json)\/?$/.test(path)) return FEED_STATUSES;
  return isRoot(path) ? ROOT_STATUSES : statuses[kind];
}

const isRoot = (path: string) => /^\/+$/.test(decodePath(path));

/** A 503 was checked before. */
function isExpected(status: number, expected: number[]): boolean {
  return status === 503 || expected.includes(status);
}

function isUnderPrefix(rawPath: string): boolean {
  const path = decodePath(rawPath);
  return prefixes.some((prefix) => `${path}/`.startsWith(`${prefix}/`));
}

/** Returns the message of an error. */
function checkErrorBody({ text, path }: FuzzRequest, { status, headers, bytes }: Answer): string {
  const type = headers['content-type'] ?? '';
  // Browsers get a page instead.
  const hasPage =
    (status === 404 && !isUnderPrefix(path)) ||
    (status === 403 && path.startsWith('/files/')) ||
    (status === 503 && isRoot(path));
  if (type.startsWith('text/html') && hasPage && /\r\nAccept: .*html/.test(text)) return '';
  expect(type.startsWith('application/json'), `an error with Content-Type ${type}`);
  const body = JSON.parse(bytes.toString()) as Record<string, unknown>;
  expect(Object.keys(body).sort().join() === 'code,message,success', 'the fields of the error are wrong');
  expect(body.code === status && body.success === false, 'the code of the error is wrong');
  expect(typeof body.message === 'string' && body.message !== '', 'the error has no message');
  return body.message as string;
}

function expect(isTrue: unknown, problem: string): asserts isTrue {
  if (!isTrue) throw new Error(problem);
}
