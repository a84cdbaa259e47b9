/** The sections of the reference page: operations, and the schemas of records with types in words. */
import {
  languages,
  type Request,
  samplesOf,
  tokenize,
  toValue,
  type ValueType,
} from '../../../../web/reference/code.ts';
import type { ExampleCall } from '../../../api/examples.ts';
import { html, join, type Markup, prose } from '../../../pages/html.ts';
import type { Examples } from './examples.ts';
import {
  type Components,
  nameIn,
  type OpenApi,
  type Operation,
  type Parameter,
  type Response,
  resolve,
  type Schema,
} from './responses.ts';

/** Without a call for paths outside the API. */
export function operationSection(
  document: OpenApi,
  path: string,
  operation: Operation,
  examples: Examples,
  call: ExampleCall | undefined,
): Markup {
  const { components } = document;
  const { operationId: name, summary, description, responses } = operation;
  const parameters = operation.parameters.map((part) => resolve(components.parameters, part));
  const request = exampleRequest(document, path, operation, parameters, call);
  return html`<section class="operation" id="${name}"${call ? html` data-request="${JSON.stringify(request)}"` : ''}>
<div class="about">
<h3><a href="#${name}"><span class="method">GET</span> <code>${path}</code></a></h3>
<p class="summary"><strong>${summary}.</strong> ${prose(description)}</p>
${accessNote(operation)}
</div>
<div class="examples">
${exampleBlocks(name, request, responses['200'] as Response, examples)}
</div>
<div class="more">
${parameterList(components, parameters)}
${searchNote(parameters)}
<h4>Responses</h4>
<dl class="responses">
${Object.entries(responses).map(([status, response]) => responseRow(status, resolve(components.responses, response)))}</dl>
</div>
</section>
`;
}

/** The values of an example call are texts, as in an address. */
function exampleRequest(
  { servers, paths }: OpenApi,
  path: string,
  { operationId, security, responses }: Operation,
  parameters: Parameter[],
  call: ExampleCall | undefined,
): Request {
  const [{ url } = { url: '' }] = paths[path]?.servers ?? servers;
  const typeOf = (name: string) =>
    valueType(parameters.find((parameter) => parameter.name === name)?.schema ?? {});
  const query = Object.entries(call?.query ?? {}).map(([name, text]) => [name, toValue(text, typeOf(name))]);
  return {
    prefix: url.replace(/\/$/, ''),
    path,
    ...(call?.id !== undefined && { id: call.id }),
    query: Object.fromEntries(query),
    ...(call && { method: operationId }),
    ...(security[0]?.token && { needsToken: true }),
    body: bodyOf(responses),
  };
}

function valueType({ type, items }: Schema): ValueType {
  if (items) return 'list';
  return type === 'integer' || type === 'boolean' ? type : 'text';
}

function bodyOf(responses: Operation['responses']): Request['body'] {
  const { type, data } = contentOf(responses['200'] as Response);
  if (type.startsWith('image/')) return 'file';
  if (type !== 'application/json') return 'text';
  return data ? 'data' : 'json';
}

/** The media type of a response, and the schema of `data` in our envelope. */
function contentOf({ content = {} }: Response): { type: string; data: Schema | undefined } {
  const [[type, media] = ['']] = Object.entries(content);
  return { type, data: media?.schema.properties?.data };
}

/** Nobody can sign the link to a file as an example, or read a package. */
function exampleBlocks(
  name: string,
  request: Request,
  { content = {} }: Response,
  { origin, responses }: Examples,
): Markup {
  const { path, method } = request;
  if (!method && /\{|\.tgz$/.test(path)) return html``;
  const tryButton = html`<button type="button" class="button small" data-action="try" aria-expanded="false" aria-label="Try it: ${path}">Try it</button>`;
  const buttons = html`${copyButton(`Copy the example of ${path}`)}
${method ? tryButton : ''}`;
  const [demo] = Object.values(content).flatMap(({ examples = {} }) => Object.values(examples));
  const body = responses[path] ?? demo?.value;
  return html`${requestBlock(name, request, origin, buttons)}
${body === undefined ? '' : responseBlock(body, origin)}`;
}

function accessNote({ security }: Operation): Markup {
  const [first = {}] = security;
  if (!first.token) return html``;
  const scopes = first.token.map((scope) => html` with the scope <code>${scope}</code>`);
  return html`<p class="note">Requires a token${scopes}.</p>`;
}

function parameterList(components: Components, parameters: Parameter[]): Markup {
  if (parameters.length === 0) return html``;
  const rows = parameters.map(({ name, description, schema, required }) => ({
    data: parameterData(components, name, schema, required),
    name,
    description,
    type: html`${describeType(schema)}${required ? ', required' : describeDefault(schema.default)}`,
  }));
  return html`<h4>Parameters</h4>\n${rowList(rows)}`;
}

function describeDefault(value: unknown): string {
  return value === undefined || (Array.isArray(value) && value.length === 0) ? '' : `, default ${value}`;
}

/** For the form that tries the operation. */
function parameterData(components: Components, name: string, schema: Schema, isInPath: boolean): Markup {
  const { type, enum: choices } = resolve(components.schemas, schema.items ?? schema);
  const values = type === 'boolean' ? ['true', 'false'] : choices;
  const list = values ? html` data-values="${values.join()}"` : '';
  const fallback = describeDefault(schema.default) && html` data-default="${String(schema.default)}"`;
  const place = isInPath ? 'path' : 'query';
  return html` data-name="${name}" data-in="${place}" data-type="${valueType(schema)}"${list}${fallback}`;
}

function searchNote(parameters: Parameter[]): Markup {
  if (!parameters.some(({ name }) => name === 'search')) return html``;
  return html`<p><a href="#search-language">How to write a pattern</a></p>`;
}

function responseRow(status: string, response: Response): Markup {
  const text = status === '200' ? describeSuccess(response) : prose(response.description);
  return html`<dt>${status}</dt><dd>${text}</dd>
`;
}

function describeSuccess(response: Response): Markup {
  const { type, data } = contentOf(response);
  const body = data ? html`<code>data</code>: ${describeType(data)}` : html`<code>${type}</code>`;
  const notable = ['X-Total-Count', 'X-Next-Cursor', 'Link', 'ETag'].filter((name) => response.headers[name]);
  return html`${body}${notable.length > 0 ? '; headers ' : ''}${join(notable.map(code), ', ')}.`;
}

const code = (text: string) => html`<code>${text}</code>`;

/** The type in a few words. A named schema links to its table. */
function describeType(schema: Schema): Markup {
  const name = schema.$ref && nameIn({ $ref: schema.$ref });
  if (name) return html`<a href="#${name}">${name}</a>`;
  if (schema.items) return html`array of ${describeType(schema.items)}`;
  if (schema.anyOf) return join(schema.anyOf.map(describeType), ' or ');
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (values.length > 0)
    return join(
      values.map((value) => code(JSON.stringify(value))),
      ', ',
    );
  return html`${schema.format ?? schema.type ?? 'any'}${describeBounds(schema)}`;
}

function describeBounds({ minimum, maximum, maxLength }: Schema): string {
  if (maxLength !== undefined) return `, at most ${maxLength} characters`;
  if (minimum === undefined) return '';
  return maximum === undefined ? `, ${minimum} or more` : `, ${minimum} to ${maximum}`;
}

interface Row {
  /** Attributes of the row, for scripts. */
  data?: Markup;
  name: string;
  type: Markup;
  description: string;
}

/** Every field of a record. Nested fields are named by their path. */
function listFields(schema: Schema, parent = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const name = parent + key;
    if (value.properties) return listFields(value, `${name}.`);
    return [{ name, type: describeType(value), description: value.description ?? '' }];
  });
}

/** The fields of a record. */
export function schemaSection(name: string, schema: Schema): Markup {
  const fields = listFields(schema);
  return html`<section class="schema" id="${name}">
<h3><a href="#${name}">${name}</a></h3>
${fields.length > 0 ? rowList(fields) : html`<p>${describeType(schema)}</p>`}
</section>
`;
}

function rowList(rows: Row[]): Markup {
  const items = rows.map(
    ({ data, name, type, description }) =>
      html`<div${data ?? ''}><dt><code>${name}</code> <span class="type">${type}</span></dt><dd>${prose(description)}</dd></div>
`,
  );
  return html`<dl class="rows">${items}</dl>`;
}

// The code of the page: example calls in several languages, and responses.

interface Sample {
  /** The value of its tab. Tabs of the same value belong together on the whole page. */
  value: string;
  label: string;
  code: string;
}

/** An example call in each language, of which one is shown. `name` is unique on the page. */
export function requestBlock(name: string, request: Request, origin: string, buttons: Markup): Markup {
  const samples = Object.entries(samplesOf(request, origin)).map(([value, code]) => ({
    value,
    label: Reflect.get(languages, value) as string,
    code,
  }));
  return tabbedBlock(name, samples, origin, buttons);
}

/** Radio buttons, because these work without a script. The stylesheet hides the code of the others. */
export function tabbedBlock(name: string, samples: Sample[], origin: string, buttons: Markup): Markup {
  const tabs = samples.map(
    ({ value, label }, index) =>
      html`<label><input type="radio" name="${name}-code" value="${value}"${index === 0 ? html` checked` : ''}>${label}</label>
`,
  );
  return html`<div class="example">
<div class="caption"><fieldset class="tabs"><legend class="visually-hidden">Code</legend>
${tabs}</fieldset>
${buttons}</div>
${samples.map(({ value, code }) => codeBlock(code, origin, html`${value === 'curl' ? html` class="call"` : ''} data-code="${value}"`))}</div>`;
}

/** Closed on narrow screens only. */
function responseBlock(body: unknown, origin: string): Markup {
  return html`<details class="example response"><summary>Example response</summary>
<div class="caption"><h4>Example response</h4>
${copyButton('Copy the response')}</div>
${codeBlock(JSON.stringify(body, undefined, 2), origin)}</details>`;
}

export function copyButton(label: string): Markup {
  return html`<button type="button" class="button small" data-action="copy" aria-label="${label}">Copy</button>`;
}

function codeBlock(code: string, origin: string, attributes: Markup = html``): Markup {
  const parts = tokenize(code).map(([text, kind]) => {
    const marked = markOrigin(text, origin);
    return kind ? html`<span class="${kind}">${marked}</span>` : html`${marked}`;
  });
  return html`<pre${attributes} tabindex="0"><code>${parts}</code></pre>
`;
}

/** The script replaces it by the origin that the reader called. */
function markOrigin(text: string, origin: string): Markup[] {
  return text
    .split(origin)
    .map((part, index) => (index === 0 ? html`${part}` : html`<span class="origin">${origin}</span>${part}`));
}
