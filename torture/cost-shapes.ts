/** Shapes of requests that try to cost the server more than they cost the client: something short, repeated to the limit. */
import { words } from './hostile.ts';
import type { Random } from './random.ts';

/** Who sends it: a client that the rate limit has blocked, another client each time, or one with an exempt token. */
export const senders = ['blocked', 'anonymous', 'token'] as const;
export type Sender = (typeof senders)[number];

/** A part of a request that grows: `#` in the unit is the number of the repetition. */
export interface Filler {
  /** Further lines are whole headers; anything else is the name of a header. */
  in: 'path' | 'query' | 'lines' | (string & {});
  start: string;
  unit: string;
  end: string;
}

export interface Shape {
  sender: Sender;
  path: string;
  fillers: readonly Filler[];
}

/** The rest of what the server accepts is for the request line and the headers that every request has. */
const RESERVED_BYTES = 700;
/** Replaced by the token of the sender. */
export const TOKEN = '<token>';

const ARTIST = '20000000-0000-4000-8000-000000000001';
const escapeAll = (text: string) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');

const apiPaths = words('/api/stats /v1/image/random /api/image/latest /api/nothing');
const otherPaths = words(
  '/ /docs /openapi.json /health/live /health/ready /metrics /gallery/main.js /nowhere',
);
/** What sends the longest texts of the catalogue (heavy-records.ts). */
const heavyPaths = words(
  '/feed.xml /feed.json /feed.xml?match=any /api/search?q=heavy /api/search?q=fox /api/image/latest?limit=25&include=details,artist',
).concat(
  ...words('/api/character?limit=25&include=count,cover /api/category?limit=25 /api/artist?search=heavy%25'),
);
const filePath = '/files/40000000-0000-4000-8000-000000000001.png';

const queryUnits = [
  ...words('%ff& %ff %41 %F0%9F%98%80 %25 + & =& #& a#=1& a=1& []& a[]=& a[#]=& %5B#%5D=& __proto__[#]=&'),
  ...words('expires=#& image=#& limit=1& include=artist& categories=#& exclude[]=c#& nsfw=sfw,'),
  // So long that the server reads all of them: it refuses more than 100 parameters.
  ...[`exclude[]=${'%C3%89'.repeat(25)}#&`, `%C3%89${'X'.repeat(150)}[#]=&`],
];
const queryLists: [start: string, unit: string][] = [
  ...words('categories exclude nsfw include').map((name): [string, string] => [`${name}=`, '#,']),
  ...words('artist search seed cursor limit expiry animated minWidth aspectRatio').map(
    (name): [string, string] => [`${name}=`, '9'],
  ),
  ...words('artist excludeArtist character').map((name): [string, string] => [`${name}=`, `${ARTIST},`]),
  ['minWidth=2&minHeight=2&aspectRatio=16:9&animated=false&', '#&'],
  ['search=', '%F0%9F%98%80'],
  ['categories=', '%C3%89'],
  // Lists that the server reads: it refuses more than 100 values or 4,000 characters.
  ['exclude=', `${'%C3%89'.repeat(26)}#,`],
  ...['', 'cursor=AAJiasLMtmKK5gn1iDFdLTXiK_iN&seed=1&match=any&'].map((start): [string, string] => {
    const value = `${'%C3%89'.repeat(14)}${'X'.repeat(67)}#`;
    return [start, `categories=${value}&exclude=${value}&`];
  }),
  // Ids that it reads, in as few parameters as it takes.
  [
    '',
    words('artist excludeArtist character')
      .map((name) => `${name}=${escapeAll(ARTIST)}${'%20'.repeat(15)}&`)
      .join(''),
  ],
];
const pathUnits = words('%ff %41 %2f %25 / a ../ ; %00 3f 25 signature');
const headerUnits: [name: string, start: string, unit: string, end: string][] = [
  ['Authorization', 'Bearer ', ' ', TOKEN],
  ['Authorization', 'Bearer ', 'a', ''],
  ['Authorization', 'Bearer ', 'a ', ''],
  ['Authorization', 'Basic ', 'YTpi', ''],
  ['Accept', '', 'a/#;q=0.1,', 'text/html'],
  ['Accept', '', ',', ''],
  ['Accept', '', ';q=1', ''],
  ['Accept-Encoding', '', 'x#;q=0.5,', 'br'],
  ['Accept-Encoding', 'br', ';', ''],
  ['Accept-Encoding', '', ' ', 'gzip'],
  ['Accept-Language', '', 'x-#,', 'en'],
  ['Cookie', '', 'a#=b; ', ''],
  ['Cookie', '', ';', ''],
  ['Range', 'bytes=', '0-1,', '2-3'],
  ['Range', 'bytes=', '9', '-'],
  ['If-None-Match', '', '"#",', '"x"'],
  ['If-None-Match', '', ' ', '*'],
  ['If-Modified-Since', '', '0', ''],
  ['If-Range', '', '"x"', ''],
  ['X-Forwarded-For', '', ',', ' '],
  ['X-Forwarded-For', '', '127.0.0.1,', ' '],
  ['X-Forwarded-For', '', '[', ', '],
  ['X-Forwarded-Host', '', 'a.', 'example'],
  ['X-Forwarded-Proto', '', 'https,', 'http'],
  ['Host', '', 'a.', 'example'],
  ['Host', '', '1', ''],
  ['Expect', '', '100-continue', ''],
  ['Connection', '', 'x#,', 'keep-alive'],
  ['User-Agent', '', '\xe9', ''],
];
const lineUnits = words(
  'X-#: A: Accept:text/html Accept-Encoding:br Cookie:a=b If-None-Match:"x" Range:bytes=0-1',
).concat(...words('Authorization:Bearer X-Forwarded-For:127.0.0.1 Host:x constructor:# #: Via:x'));

/** Every repetition at addresses where it might matter. */
export function* commonShapes(): Generator<Shape> {
  for (const sender of senders) {
    const shape = (path: string, ...fillers: Filler[]): Shape => ({ sender, path, fillers });
    for (const path of [...apiPaths, ...otherPaths, ...heavyPaths, filePath]) yield shape(path);
    for (const path of ['/api/stats', '/v1/image/random', '/', filePath])
      for (const unit of queryUnits) yield shape(path, { in: 'query', start: '', unit, end: '' });
    for (const [start, unit] of queryLists)
      yield shape('/v1/image/random', { in: 'query', start, unit, end: '' });
    for (const path of ['/', '/api/', '/api/image/', '/files/'])
      for (const unit of pathUnits) yield shape(path, { in: 'path', start: '', unit, end: '' });
    for (const [name, start, unit, end] of headerUnits)
      for (const path of ['/v1/image/random', '/', '/docs'])
        yield shape(path, { in: name, start, unit, end });
    for (const unit of lineUnits)
      for (const path of ['/api/stats', '/health/ready'])
        yield shape(path, { in: 'lines', start: '', unit: `${unit}\r\n`, end: '' });
  }
}

/** The text of the request, with its fillers repeated until it has `maxBytes`. */
export function renderShape(
  { path, fillers }: Shape,
  headers: Record<string, string>,
  maxBytes: number,
): string {
  const share = Math.floor((maxBytes - RESERVED_BYTES) / Math.max(1, fillers.length));
  const all: Record<string, string> = { Host: '127.0.0.1', ...headers };
  let [target, query, lines] = [path, '', ''];
  for (const filler of fillers) {
    const text = fill(filler, share).replace(TOKEN, (headers.Authorization ?? '').replace('Bearer ', ''));
    if (filler.in === 'path') target += text;
    else if (filler.in === 'query') query += query === '' ? text : `&${text}`;
    else if (filler.in === 'lines') lines += text;
    // A proxy adds the address that it sees to what the client sent.
    else if (filler.in === 'X-Forwarded-For') all[filler.in] = text + (headers[filler.in] ?? '');
    else all[filler.in] = text;
  }
  const own = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${target}${query === '' ? '' : `?${query}`} HTTP/1.1\r\n${own.join('')}${lines}\r\n`;
}

function fill({ start, unit, end }: Filler, bytes: number): string {
  const last = bytes - end.length;
  if (!unit.includes('#')) return start + unit.repeat(Math.max(0, last - start.length) / unit.length) + end;
  let text = start;
  for (let number = 0; text.length + unit.length + 5 < last; number++)
    text += unit.replaceAll('#', String(number));
  return text + end;
}

export function describeShape({ sender, path, fillers }: Shape): string {
  const parts = fillers.map(({ in: place, start, unit, end }) => {
    const repeated = shorten(JSON.stringify(unit).slice(1, -1));
    return `${place}: ${start}${repeated} ×n ${end}`.trim();
  });
  return [`${sender} ${path}`, ...parts].join(', ');
}

/** `XXXXXXXXXX` as `{X×10}`. */
function shorten(text: string): string {
  return text.replaceAll(/(.{1,6}?)\1{9,}/g, (all, part) => `{${part}×${all.length / part.length}}`);
}

/** A shape like this one, with one thing changed. */
export function mutateShape(shape: Shape, others: readonly Shape[], random: Random): Shape {
  const { sender, path, fillers } = shape;
  const other = random.pick(others);
  const changes: (() => Shape)[] = [
    () => ({ ...shape, sender: random.pick(senders) }),
    () => ({ ...shape, path: other.path }),
    () => ({ ...shape, fillers: joinFillers(fillers, other.fillers) }),
    () => ({ ...shape, fillers: other.fillers }),
    () => ({
      sender,
      path,
      fillers: fillers.map((filler) => ({ ...filler, unit: mutateUnit(filler, random) })),
    }),
    () => ({ ...shape, fillers: fillers.slice(0, -1) }),
  ];
  return random.pick(changes)();
}

/** At most one for each place, or a later one would replace the other. */
function joinFillers(some: readonly Filler[], more: readonly Filler[]): Filler[] {
  return [...new Map([...some, ...more].map((filler) => [filler.in, filler])).values()];
}

const pieces = words('% %ff %41 %e9 & = + , ; [ ] [] # a 0 . : / " * \' ( ) - _ q=1 %F0%9F%98%80 \xe9 \xff');

function mutateUnit({ in: place, unit }: Filler, random: Random): string {
  // Lines must stay headers.
  if (place === 'lines') return `X${random.pick(['#', '', '-a'])}:${random.pick(pieces)}\r\n`;
  const at = random.below(unit.length + 1);
  const piece = random.pick(pieces);
  const isHeader = place !== 'path' && place !== 'query';
  const changed = random.pick([
    () => unit.slice(0, at) + piece + unit.slice(at),
    () => unit.slice(0, at) + piece + unit.slice(at + 1),
    () => piece,
    () => unit.slice(0, at) + unit.slice(at + 1),
  ])();
  if (changed === '') return piece;
  // Bytes that are not ASCII are not allowed in a target.
  return isHeader ? changed : changed.replaceAll(/[^\x21-\x7e]/g, '%e9');
}
