/** Shows what the server answered. */
import { readCount } from '../../client/pace.ts';
import { el } from '../dom.ts';
import { formatDuration, formatSize } from '../text.ts';
import type { Answer } from './calls.ts';
import { colour } from './code-blocks.ts';

const statusNames: Record<number, string> = {
  200: 'OK',
  302: 'Found',
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Unavailable',
};

/** What the server says about an error, or undefined if it is none. */
export function errorMessage({ status, text }: Answer): string | undefined {
  if (status < 400) return undefined;
  const { message } = parseJson(text) as { message?: unknown };
  return typeof message === 'string' ? message : `Status ${status}.`;
}

/** Whether a call was sent with a token. Browsers cannot send one to load a picture. */
export type TokenUse = 'sent' | 'none' | 'impossible';

/** How to go on after an error. */
export function advice({ status, headers }: Answer, token: TokenUse): (Node | string)[] {
  if (status === 401 && token === 'sent')
    return ['The server does not know the token that you entered. Correct or ', tokenLink('forget it'), '.'];
  if (status === 401 && token === 'impossible')
    return ['Browsers send no token to load a picture. Use the command above, with a token.'];
  if (status === 401) return [tokenLink('Enter a token'), ' and send the call again.'];
  if (status === 403)
    return [
      el('a', { href: '#token' }, '/token'),
      ' shows the scopes of your token. Its issuer can add more.',
    ];
  if (status !== 429) return [];
  return [
    'The limit is per address, so other programs and pages count too. The next call is possible in ',
    countdown(readCount(headers, 'Retry-After')),
    '.',
  ];
}

function tokenLink(text: string): HTMLElement {
  return el('a', { href: '#token-field' }, text);
}

/** Screen readers read the first value only. */
export function countdown(seconds: number): HTMLElement {
  const end = performance.now() + seconds * 1000;
  const element = el('span', { class: 'countdown' }, formatDuration(seconds));
  const timer = setInterval(() => {
    const left = Math.max(0, (end - performance.now()) / 1000);
    element.textContent = formatDuration(left);
    if (left === 0 || !element.isConnected) clearInterval(timer);
  }, 1000);
  return element;
}

export function showAnswer(answer: Answer, token: TokenUse): Node[] {
  const { status, headers, text } = answer;
  const message = errorMessage(answer);
  const size = formatSize(new TextEncoder().encode(text).length);
  return [
    outcome(status, message === undefined ? size : message),
    ...(message === undefined ? [] : [el('p', {}, ...advice(answer, token))]),
    ...showPictures(text),
    headerDetails(headers),
    el(
      'div',
      { class: 'example' },
      el('div', { class: 'caption' }, el('h4', {}, 'Response'), copyButton()),
      el('pre', { tabindex: 0 }, el('code', {}, ...colour(formatBody(text)))),
    ),
  ];
}

const MAX_PICTURES = 6;

/** A record with a picture: an image, or the cover of an entry. */
interface Pictured {
  url: string;
  nsfw?: string;
  meta: { dimens: { width: number; height: number } };
}

/** The pictures of the records in a response. Those that are not safe for everyone wait for a click. */
function showPictures(text: string): Node[] {
  const { data } = parseJson(text) as { data?: unknown };
  const pictured = [data].flat().flatMap((record) => {
    const image = (record as { cover?: unknown } | undefined)?.cover ?? record;
    return isPictured(image) ? [image] : [];
  });
  if (pictured.length === 0) return [];
  const pictures = pictured.slice(0, MAX_PICTURES).map(({ url, nsfw, meta }) => {
    const { width, height } = meta.dimens;
    const picture = el('img', { src: url, width, height, loading: 'lazy', alt: 'The image in the response' });
    if (nsfw === undefined || nsfw === 'sfw') return picture;
    return el('details', {}, el('summary', {}, `Show the image rated ${nsfw}`), picture);
  });
  const more = pictured.length - pictures.length;
  return [el('div', { class: 'pictures' }, ...pictures, more > 0 ? `and ${more} more` : '')];
}

function isPictured(record: unknown): record is Pictured {
  const { url, meta } = (record ?? {}) as Partial<Pictured>;
  return typeof url === 'string' && typeof meta?.dimens?.width === 'number';
}

export function showPicture(picture: HTMLImageElement): Node[] {
  return [outcome(302, 'The file:'), picture];
}

export function showProblem(text: string): Node[] {
  return [el('p', { class: 'outcome bad' }, text)];
}

function outcome(status: number, text: string): HTMLElement {
  const name = statusNames[status] ?? '';
  const kind = status < 400 ? 'good' : 'bad';
  return el('p', { class: `outcome ${kind}` }, el('strong', {}, `${status} ${name}`.trim()), ` ${text}`);
}

function headerDetails(headers: Headers): HTMLElement {
  const items = [...headers].flatMap(([name, value]) => [
    el('dt', {}, el('code', {}, name)),
    el('dd', {}, value),
  ]);
  return el('details', {}, el('summary', {}, 'Headers'), el('dl', { class: 'headers' }, ...items));
}

function copyButton(): HTMLElement {
  const attributes = { type: 'button', class: 'button small', 'data-action': 'copy' };
  return el('button', { ...attributes, 'aria-label': 'Copy the response' }, 'Copy');
}

function formatBody(text: string): string {
  const parsed = parseJson(text);
  return Object.keys(parsed).length > 0 ? JSON.stringify(parsed, undefined, 2) : text;
}

/** A proxy in between may send something else than JSON. */
function parseJson(text: string): object {
  try {
    const parsed = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
