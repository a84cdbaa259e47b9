/**
 * Makes random requests. Endpoints and parameters come from the declarations of the API, so that a new one is covered as
 * soon as it is declared.
 */
import type { Callable } from '../src/api/endpoint.ts';
import { routes } from '../src/api/routes.ts';
import { feeds } from '../src/server/pages/feed.ts';
import { uuid } from '../test/support/catalogues/catalogue.ts';
import * as hostile from './hostile.ts';
import {
  encodePair,
  encodeText,
  type Facts,
  junk,
  pathId,
  type Rule,
  type Seen,
  validValue,
} from './parameters.ts';
import type { Random } from './random.ts';

export const prefixes = ['/api', '/v1'];
export const kinds = ['API', 'files', 'pages', 'unknown paths', 'malformed'] as const;
export type Kind = (typeof kinds)[number];

export interface FuzzRequest {
  kind: Kind;
  method: string;
  /** As the server sees it: still escaped, without the query. */
  path: string;
  /** What is sent, as latin1 text. */
  text: string;
  /** It may be rejected before its path is read. */
  isOdd: boolean;
  /** The connection ends with it: the server closes it, or the client does. */
  isLast: boolean;
}

const { words } = hostile;
const pages = words(
  '/ /docs /openapi.json /health/live /health/ready /metrics /gallery/main.js /gallery/style.css /gallery/client/index.js /gallery/client/zukan.js',
);
const unknown = [
  ...words(
    '/favicon.ico /robots.txt /.env /wp-login.php /api/ /api/x /v1/image/x/y /API /api/image/random/x',
  ),
  ...words('/gallery /gallery/ /gallery/x /gallery/../x /gallery/%2e%2e%2fpackage.json /gallery/client/..'),
  ...words('/files /files/ /health /metrics/x // /% /%00 /%zz /api%2fstats /%61pi/stats /api//stats /./api'),
  ...words('/;/ /docs/x'),
];

/** What the requests of a connection are made of. */
export interface Source {
  random: Random;
  facts: Facts;
  seen: Seen;
  /** Whether a proxy in front of the server reports the clients. */
  isProxied: boolean;
}

export function nextRequest(source: Source): FuzzRequest {
  const { random } = source;
  const draw = random.below(100);
  if (draw < 4) {
    const text = hostile.malformedInput(random);
    return { kind: 'malformed', method: '', path: '', text, isOdd: true, isLast: true };
  }
  if (draw < 12) return finish(source, 'files', fileTarget(source));
  if (draw < 18) return finish(source, 'pages', pageTarget(source));
  if (draw < 22) return finish(source, 'unknown paths', unknownTarget(random));
  return finish(source, 'API', callTarget(source, random.pick(routes), random.pick(prefixes)));
}

function pageTarget(source: Source): string {
  const { random } = source;
  if (random.chance(0.2)) return callTarget(source, random.pick(feeds), '');
  return random.pick(pages) + (random.chance(0.1) ? `?${junk(random)}` : '');
}

function unknownTarget(random: Random): string {
  if (random.chance(0.6)) return random.pick(unknown);
  const path = `/${encodeText(random.pick(hostile.texts))}`;
  return random.chance(0.5) ? random.pick(prefixes) + path : path;
}

function fileTarget({ random, seen: { links } }: Source): string {
  const link =
    links.length > 0 && random.chance(0.9)
      ? random.pick(links)
      : `/files/${uuid(4, 1)}.png?expires=9&signature=x`;
  if (random.chance(0.6)) return link;
  if (random.chance(0.3)) return `/files/${encodeText(random.pick(hostile.texts))}`;
  if (random.chance(0.3))
    return link.replace(/expires=\d+/, `expires=${encodeText(random.pick(hostile.texts))}`);
  if (random.chance(0.3)) return `${link}&${random.pick(['expires', 'signature'])}=1`;
  return link.slice(0, 1 + random.below(link.length));
}

function callTarget({ random, facts, seen }: Source, { path, query }: Callable, prefix: string): string {
  const [, kind = ''] = path.split('/');
  let target = prefix + path.replace('{id}', pathId(random, facts, kind));
  if (random.chance(0.02)) target += '/';
  const pairs: string[] = [];
  // Most calls have a few parameters and one wrong value at most, so that many get past the validation.
  const share = random.pick([0, 0.2, 0.4]);
  const hostileShare = random.pick([0, 0, 0, 0.1, 0.5]);
  for (const [name, rule] of Object.entries(query.properties as Record<string, Rule>))
    if (random.chance(share)) {
      const value = random.chance(hostileShare)
        ? random.pick(hostile.texts)
        : validValue(random, facts, seen, name, rule);
      pairs.push(...encodePair(random, name, value, rule));
    }
  if (random.chance(0.05)) pairs.push(junk(random));
  return pairs.length > 0 ? `${target}?${pairs.join('&')}` : target;
}

function finish({ random, facts, seen, isProxied }: Source, kind: Kind, target: string): FuzzRequest {
  let [method, isOdd, body] = ['GET', /[^\x21-\x7e]/.test(target), ''];
  if (random.chance(0.1)) method = random.pick(['HEAD', 'HEAD', 'OPTIONS', random.pick(hostile.methods)]);
  const lines: string[] = [];
  const add = (name: string, value: string) => {
    lines.push(`${name}: ${value}`);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) isOdd = true;
  };
  add('Host', random.chance(0.95) ? '127.0.0.1' : random.pick(hostile.hosts));
  if (isProxied && random.chance(0.97))
    add('X-Forwarded-For', `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`);
  else if (random.chance(0.05)) add('X-Forwarded-For', random.pick(hostile.addresses));
  if (random.chance(0.25)) add('Authorization', random.pick(facts.authorizations));
  if (random.chance(0.3)) addHeaders(random, seen, add);
  const closesItself = lines.some((line) => /^(connection|upgrade|expect):/i.test(line));
  if (random.chance(0.01)) {
    body = 'x'.repeat(random.below(3000));
    lines.push(random.chance(0.5) ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked');
    if (lines.at(-1)?.startsWith('T'))
      body = `${body.length.toString(16)}\r\n${body}\r\n${body === '' ? '\r\n' : '0\r\n\r\n'}`;
  }
  if (lines.reduce((sum, line) => sum + line.length, target.length) > 16_000) isOdd = true;
  const absolute = random.chance(0.01) && target.startsWith('/') ? 'http://example.org' : '';
  return {
    kind,
    method,
    path: target.split('?')[0] ?? '',
    isOdd,
    isLast: closesItself || body !== '',
    text: `${method} ${absolute}${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  };
}

function addHeaders(random: Random, { eTags }: Seen, add: (name: string, value: string) => void): void {
  if (eTags.length > 0 && random.chance(0.2)) add('If-None-Match', random.pick(eTags));
  if (random.chance(0.1)) add('X-Forwarded-Host', random.pick(hostile.hosts));
  const names = Object.keys(hostile.headers);
  for (let count = 1 + random.below(3); count > 0; count--) {
    const name = random.pick(names);
    add(name, random.pick(hostile.headers[name] as string[]));
  }
}
