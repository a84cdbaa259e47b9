/** Values that have broken parsers, databases and file systems. Header values and raw input are latin1 text. */
import { hostilePatterns } from '../test/catalogue/search/hostile-patterns.ts';
import type { Random } from './random.ts';

/** Splits at spaces: a list of one text per line would be several pages long. */
export const words = (text: string) => text.split(' ');
const long = (count: number, text = 'x') => text.repeat(count);

export const texts: readonly string[] = [
  ...words('0 -1 1 25 26 31 1e3 0x10 1.5 +5 NaN ٣ ９ null undefined true -0 2147483648 9007199254740993'),
  ...words("99999999999999999999 00000000000000000001 $1 $(id) `id` |id \\ \\' {{7*7}} [object"),
  ...words('../../../../etc/passwd ..\\..\\ / // . .. .intake-x zukan.db link.keys C:\\ file:///etc'),
  ...words('\0 \x1b[2J \n \u2028 \u202e \ufeff \ud800 \u{1f600} İ ß ﬃ e\u0301 \r\nX-Injected:1'),
  ...words('<script>alert(1)</script> "><img/src=x> __proto__ constructor toString hasOwnProperty'),
  ...words(', ,,, a, [] [0] {} % %% %25 %zz %00 %c3%28 %u0041 + & = ; #'),
  ...['', ' ', ' a , b ', "' or 1=1--", '"; drop table image; --'],
  ...[long(64), long(65), long(50, 'é'), long(51, '\u{1f600}'), long(5000)],
];

export const ids: readonly string[] = [
  ...words(
    '0 x null ../x %2e%2e 4 00000000-0000-0000-0000-000000000000 ffffffff-ffff-ffff-ffff-ffffffffffff',
  ),
  ...words('40000000-0000-4000-8000-00000000000 {40000000-0000-4000-8000-000000000001}'),
  ...words('40000000-0000-4000-8000-000000000001%00 40000000-0000-4000-8000-000000000001.png'),
  long(3000),
];

const patternParts = [
  ...words(
    '% _ | * + ? {2} {1,} {0,3} {255} ( ) [ ] [a-z] [^b] [[:alpha:]] \\ a b é ß 1 \u{1f600} \\% () [] { } ,',
  ),
  ' ',
];

/** A search pattern: one that makes matchers slow, or a random one, often malformed. */
export function pattern(random: Random): string {
  if (random.chance(0.2)) return random.pick(hostilePatterns);
  return Array.from({ length: 1 + random.below(12) }, () => random.pick(patternParts)).join('');
}

export const hosts: readonly string[] = [
  ...words(
    'a:99999 [::::] [::1] [::1]:80 a,b a/b a@b " <x> 127.0.0.1:0 example.org EXAMPLE.org:443 example.org.',
  ),
  ...words('\xff\xfe a\tb .. - 0 127.1 localhost:65536'),
  ...['', ' ', 'a b', long(300)],
];

export const addresses: readonly string[] = [
  ...words(
    'unknown _hidden ::1 ::ffff:10.0.0.1 [2001:db8::1]:443 2001:db8::1%eth0 999.1.1.1 1.2.3 10.0.0.1:80',
  ),
  ...words(',,, 10.0.0.1, 0.0.0.0 127.0.0.1 :: \xff'),
  ...['', '10.0.0.1, 10.0.0.2', long(4000), long(400, '1.1.1.1,')],
];

export const methods = words('POST PUT PATCH DELETE TRACE PROPFIND QUERY PURGE M-SEARCH LINK');

/** Values of further headers, by name. */
export const headers: Record<string, readonly string[]> = {
  'Accept-Encoding': [
    ...words('gzip br * identity;q=0 gzip;q=x br;;;q=1 ,'),
    ...['gzip, br', 'br;q=0, gzip;q=0.5', 'deflate, zstd', long(2000)],
  ],
  Accept: [
    ...words('text/html application/json */* image/* ;;q text/html;q=0.1'),
    '',
    long(200, 'text/html,'),
  ],
  'If-None-Match': [...words('* "x" W/"x" W/ " \xff'), ', , ,', '"a", *', long(500, '"x",')],
  'If-Modified-Since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'tomorrow', '0'],
  'If-Range': ['"x"', 'W/"x"', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  Range: [
    ...words(
      'bytes=0-0 bytes=0- bytes=-1 bytes=-0 bytes=5-2 bytes=999999999- bytes=0-1,3-4 bytes=a-b bytes=-',
    ),
    ...['lines=1-2', `bytes=${long(300, '0-1,')}`],
  ],
  Expect: ['100-continue', '200-ok', ''],
  Connection: ['close', 'keep-alive', 'upgrade', 'close, keep-alive', 'x'],
  Upgrade: ['websocket', 'h2c', 'x'],
  'X-Forwarded-Proto': ['https', 'http', 'javascript', 'https, http', ''],
  Forwarded: ['for=10.0.0.1;proto=https;host=x', 'for="[::1]"', ';;;'],
  Origin: ['null', 'https://example.org', 'x'],
  Cookie: ['a=b', long(10_000), '__proto__=1'],
  'User-Agent': [']0;x', long(3000)],
  'X-HTTP-Method-Override': ['DELETE', 'PUT'],
  'X-Request-Id': ['x', '"}{"', long(1000)],
  'Content-Type': ['application/json', 'multipart/form-data; boundary=', 'x'],
  TE: ['trailers', 'chunked'],
  constructor: ['1'],
  'X-Filler': [long(8000), long(30_000), long(500, '\xe9')],
};

const get = 'GET /api/stats HTTP/1.1\r\nHost: x\r\n';
const chunked = `${get}Transfer-Encoding: chunked\r\n`;

/** Input that is not valid HTTP, or barely. */
export const malformed: readonly string[] = [
  ...['\r\n\r\n', '\0\0\0\0', 'nonsense\r\n\r\n', 'GET\r\n\r\n', 'GET / \r\n\r\n', 'GET  / HTTP/1.1\r\n\r\n'],
  ...[
    'GET / HTTP/9.9\r\n\r\n',
    'GET /api HTTP/1.0\r\n\r\n',
    'GET /api\r\n\r\n',
    'GET /api HTTP/1.1\nHost: x\n\n',
  ],
  ...[
    'get /api HTTP/1.1\r\nHost: x\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc',
  ],
  ...[
    'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /api/st',
    get,
  ],
  ...['* HTTP', '/\xff\xfe', 'x://', '?x', '#'].map((target) => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`),
  ...[
    'A b: c',
    ': c',
    'A: b\r\n folded',
    'A: \0',
    'A: b\rC: d',
    'Content-Length: -1',
    'Content-Length: 9e9',
  ].map((header) => `${get}${header}\r\n\r\n`),
  ...[`${get}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`, `${get}Content-Length: 10\r\n\r\nx`],
  ...[
    `${chunked}Content-Length: 3\r\n\r\n0\r\n\r\n`,
    `${chunked}\r\nzz\r\n`,
    `${chunked}\r\nffffffffffffffffff\r\n`,
  ],
  ...[`${get}Transfer-Encoding: gzip, x\r\n\r\n`, `${get}\r\nnonsense\r\n\r\n`, `${get}\r\n${get}\r\n${get}`],
  ...[`GET /${long(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, `${get}${long(12, `A: ${long(8000)}\r\n`)}\r\n`],
  `${get}${long(3000, 'A: b\r\n')}\r\n`,
];

/** Malformed input of any length: one of the list, cut off, repeated, or with some bytes replaced. */
export function malformedInput(random: Random): string {
  const text = random.pick(malformed);
  if (random.chance(0.4)) return text;
  if (random.chance(0.3)) return text.slice(0, random.below(text.length + 1));
  if (random.chance(0.2)) return text + random.pick(malformed);
  if (random.chance(0.2))
    return Array.from({ length: random.below(500) }, () => String.fromCharCode(random.below(256))).join('');
  const at = random.below(text.length);
  return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at + 1);
}
