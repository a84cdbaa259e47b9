/**
 * The code of the examples: a call in each language, and the parts of code that have a colour. Pure, because the server writes
 * the page with it, and the script changes the examples when the reader changes a call.
 */

/** Values as the typed client takes them. */
type Value = string | number | boolean | readonly string[];
export type Query = Record<string, Value>;

/** What the body of the response is: `data` in our envelope, other JSON, text, or the bytes of a file. */
type Body = 'data' | 'json' | 'text' | 'file';

export interface Request {
  /** The path of the API; empty if it is at the root. */
  prefix: string;
  /** With `{id}`, without the prefix. */
  path: string;
  id?: string;
  query?: Query;
  /** The method of the typed client. Undefined outside the API. */
  method?: string;
  needsToken?: boolean;
  body: Body;
}

export const languages = { curl: 'curl', javascript: 'JavaScript', python: 'Python', client: 'Client' };
export type Language = keyof typeof languages;

/** The type of a parameter, as far as it matters for its value in code. */
export type ValueType = 'list' | 'integer' | 'boolean' | 'text';

/** A text that is no value of the type stays as it is, so that the server can say what is wrong with it. */
export function toValue(text: string, type: ValueType): Value {
  if (type === 'list')
    return text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  if (type === 'integer' && /^\d{1,15}$/.test(text)) return Number(text);
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

/** The path and query of a call. It has no quotes or backslashes, so it can be quoted in every language. */
export function formatAddress({ prefix, path, id = '', query = {} }: Request): string {
  const pairs = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  const address = (prefix + path.replace('{id}', encode(id))).replace(/\/$/, '');
  return address + (pairs.length > 0 ? `?${pairs.join('&')}` : '');
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27').replaceAll('%2C', ',');
}

/** The code of a call in each language. */
export function samplesOf(request: Request, origin: string): Partial<Record<Language, string>> {
  const { needsToken, body } = request;
  const url = `'${origin}${formatAddress(request)}'`;
  const samples: Partial<Record<Language, string>> = {
    curl: `curl${needsToken ? ' -H "Authorization: Bearer $TOKEN"' : ''}${body === 'file' ? ' -L -o image' : ''} ${url}`,
    javascript: javascriptSample(url, request),
    python: pythonSample(url, request),
  };
  if (request.method) samples.client = clientSample(origin, request.method, request);
  return samples;
}

function javascriptSample(url: string, { needsToken, body }: Request): string {
  const options = needsToken ? `, {\n  headers: { Authorization: \`Bearer \${process.env.TOKEN}\` },\n}` : '';
  const rest = {
    data: 'const { data } = await response.json();\nconsole.log(data);',
    json: 'console.log(await response.json());',
    text: 'console.log(await response.text());',
    file: 'const file = await response.blob();\nconsole.log(file.type, file.size);',
  };
  return `const response = await fetch(${url}${options});\n${rest[body]}`;
}

/** With the standard library only. */
function pythonSample(url: string, { needsToken, body }: Request): string {
  if (body === 'file') return `import urllib.request\n\nurllib.request.urlretrieve(${url}, 'image')`;
  const modules = [...(body === 'text' ? [] : ['json']), ...(needsToken ? ['os'] : []), 'urllib.request'];
  const request = needsToken
    ? `request = urllib.request.Request(${url})\nrequest.add_header('Authorization', 'Bearer ' + os.environ['TOKEN'])\n`
    : '';
  const read = {
    data: "json.load(response)['data']",
    json: 'json.load(response)',
    text: 'response.read().decode()',
  };
  return `import ${modules.join(', ')}

${request}with urllib.request.urlopen(${needsToken ? 'request' : url}) as response:
    print(${read[body]})`;
}

function clientSample(
  origin: string,
  method: string,
  { prefix, path, id, query = {}, ...request }: Request,
): string {
  const client = [
    `origin: '${origin}'`,
    ...(prefix === '/api' ? [] : [`prefix: ${quote(prefix || '/')}`]),
    ...(request.needsToken ? ['token: process.env.TOKEN'] : []),
  ];
  const options = Object.entries(query).map(([name, value]) => `${name}: ${formatValue(value)}`);
  const values = [
    ...(path.includes('{id}') ? [quote(id ?? '')] : []),
    ...(options.length > 0 ? [joinObject(options)] : []),
  ];
  // A redirect has a method that returns its address.
  const call = request.body === 'file' ? `zukan.${method}Url` : `await zukan.${method}`;
  return `// npm install ${origin}/client.tgz\nimport { Zukan } from 'zukan-client';

const zukan = new Zukan(${joinObject(client)});
console.log(${call}(${values.join(', ')}));`;
}

const MAX_LINE_LENGTH = 50;

function joinObject(fields: string[]): string {
  const line = `{ ${fields.join(', ')} }`;
  return line.length <= MAX_LINE_LENGTH ? line : `{\n${fields.map((field) => `  ${field},\n`).join('')}}`;
}

function formatValue(value: Value): string {
  if (typeof value === 'string') return quote(value);
  return typeof value === 'object' ? `[${value.map(quote).join(', ')}]` : String(value);
}

function quote(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}

/** A part of code, and the class of its colour: a string or comment, a key, a literal or a keyword. */
export type Token = [text: string, kind?: 's' | 'p' | 'n' | 'k'];

const string = /^\/\/ .*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/;
const literal = /\b(?:\d+(?:\.\d+)?|true|false)\b/;
const keyword = /\b(?:import|from|const|await|new|with|as)\b|^curl\b|(?<= )-[A-Za-z]\b|<\/?\w+|\/?>$/;
const tokens = new RegExp(`(${string.source})(?=(:)?)|(${literal.source})|(${keyword.source})`, 'gm');

/** The same rules suit JSON, HTML and all of the languages: their words differ, and in strings nothing is a word. */
export function tokenize(code: string): Token[] {
  const found: Token[] = [];
  let end = 0;
  for (const { 0: text, 1: quoted, 2: colon, 3: value, index } of code.matchAll(tokens)) {
    if (index > end) found.push([code.slice(end, index)]);
    found.push([text, quoted === undefined ? (value === undefined ? 'k' : 'n') : colon ? 'p' : 's']);
    end = index + text.length;
  }
  if (end < code.length) found.push([code.slice(end)]);
  return found;
}
