/** What the server reads and shows before a handler: requests that the contract describes, and the page. */
import type { IncomingMessage } from 'node:http';
import { MARK, readBrowserFiles, SCRIPT_TYPE, STYLE_TYPE } from '../assets/bundle.ts';
import type * as Type from '../lib/json-schema.ts';
import { compile, type Validator } from '../lib/validator.ts';
import { type Address, endpoints, type RefusalDetails, type RequestTo } from './contract.ts';

// Reads requests. What contract.ts does not describe is refused before it reaches the catalogue.

/** A request that cannot be fulfilled. `details` are sent with the message. */
export class StudioError extends Error {
  readonly status: number;
  readonly details: RefusalDetails;
  constructor(status: number, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** The ids of 200,000 images. */
const MAX_BODY_BYTES = 8_000_000;

const validators = new Map<Address, Validator>();

export function readRequest<A extends Address>(address: A, fields: unknown): RequestTo<A> {
  const validator = validators.get(address) ?? compile(endpoints[address].request);
  validators.set(address, validator);
  if (!validator.Check(fields)) throw new StudioError(400, 'this page is out of date: reload it');
  return fields as RequestTo<A>;
}

/** Lists are parameters that may be repeated. */
export function readQuery<A extends Address>(address: A, query: URLSearchParams): RequestTo<A> {
  const { properties } = endpoints[address].request as unknown as Type.TObject;
  const isList = (name: string) =>
    Object.hasOwn(properties, name) && (properties[name] as { type?: string }).type === 'array';
  const fields = [...new Set(query.keys())].map((name) => {
    const values = query.getAll(name);
    return [name, isList(name) || values.length > 1 ? values : values[0]];
  });
  return readRequest(address, Object.fromEntries(fields));
}

/** The body as JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const tooLarge = 'too much at once: select fewer pictures';
  const bytes = await readBytes(request, MAX_BODY_BYTES, tooLarge);
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new StudioError(400, 'the request is not JSON');
  }
}

export async function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  tooLarge: string,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new StudioError(413, tooLarge);
  return Buffer.concat(await Array.fromAsync(limitBytes(request, maxBytes, tooLarge)));
}

export async function* limitBytes(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLarge: string,
): AsyncGenerator<Buffer, void> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw new StudioError(413, tooLarge);
    yield chunk;
  }
}

// The page of the studio, and the pages before and instead of it.

export const HTML = 'text/html; charset=utf-8';

/** Of a picture that has another file by now, `isFormer` is the last one before. */
export interface PictureAddress {
  id: string;
  size: number | undefined;
  isFormer: boolean;
}

export interface PageFile {
  type: string;
  text: string;
}

let page: Promise<Map<string, PageFile>> | undefined;

/** By name. They stay in memory, because making the script of a checkout takes long. */
export function readPage(): Promise<Map<string, PageFile>> {
  page ??= makePage();
  return page;
}

/** `index.html` names the stylesheets. They are sent as they are: nothing of this leaves the machine. */
async function makePage(): Promise<Map<string, PageFile>> {
  const { readScripts, textOf } = await readBrowserFiles('studio');
  const [script = ''] = await readScripts();
  const page = textOf('web/studio/index.html').replace('{{mark}}', MARK);
  const styles = Array.from(
    `${page}${signInPage('').text}`.matchAll(/\/assets\/([\w-]+\.css)/g),
    ([, name]) => name as string,
  );
  return new Map<string, PageFile>([
    ['index.html', { type: HTML, text: page }],
    ['main.js', { type: SCRIPT_TYPE, text: script }],
    ['icon.svg', { type: 'image/svg+xml', text: textOf('web/icon.svg') }],
    ...styles.map((name): [string, PageFile] => [
      name,
      { type: STYLE_TYPE, text: textOf(`web/studio/styles/${name}`) || textOf(`web/${name}`) },
    ]),
  ]);
}

const frame = (head: string, body: string): PageFile => ({
  type: HTML,
  text: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">${head}<title>zukan studio</title>
<link rel="icon" href="/assets/icon.svg"><link rel="stylesheet" href="/assets/style.css"></head>
<body><main>${body}</main></body></html>
`,
});

/**
 * Replaces the address with the secret. A redirect would not do: after a click on another site, the browser sends no
 * SameSite cookie with it.
 */
export const openedPage = frame(
  '<meta http-equiv="refresh" content="0;url=/">',
  '<p>Opening the studio…</p>',
);

export const refusedPage = frame(
  '',
  `<h1>This address does not work</h1>
<p>The address of the studio works once, in one browser. For a new one, press Enter in the terminal where
<code>zukan studio</code> runs, or start it again.</p>`,
);

/** Works without a script. The message says what was wrong. */
export const signInPage = (message: string): PageFile =>
  frame(
    `<link rel="stylesheet" href="/assets/controls.css"><link rel="stylesheet" href="/assets/sign-in.css">`,
    `<h1>zukan studio</h1>
<form method="post" action="/sign-in">
<label class="field"><span>Name</span><input name="name" autocomplete="username" autocapitalize="none" required autofocus></label>
<label class="field"><span>Password</span><input name="password" type="password" autocomplete="current-password" required></label>
<p role="alert">${message}</p>
<button class="button strong">Sign in</button>
</form>
<p class="quiet">You came by a link, and are signed in already? <a href="/">Open the studio</a></p>`,
  );
