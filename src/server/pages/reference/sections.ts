/** The sections of the reference page: operations, and the schemas of records with types in words. */
import type { ExampleCall } from '../../../api/examples.ts';
import { html, type Markup, prose } from '../html.ts';
import type { Components, OpenApi, Operation, Parameter, Ref, Response, Schema } from './types.ts';

/** A placeholder for the origin that the reader called. */
export const ORIGIN = '\u0000origin\u0000';

/** `call` is missing for paths outside the API. */
export function operationSection(
  { components, servers, paths }: OpenApi,
  path: string,
  operation: Operation,
  call: ExampleCall | undefined,
): Markup {
  const { operationId: name, summary, description, parameters, responses } = operation;
  const [{ url: prefix } = { url: '' }] = paths[path]?.servers ?? servers;
  const address = (prefix === '/' ? '' : prefix) + path;
  const parameterList = parameters.map((item) =>
    '$ref' in item ? resolve(components, 'parameters', item) : item,
  );
  const redirects = responses['302'] ? html` data-redirects` : '';
  const script = call ? html` data-address="${address}"${redirects}` : '';
  return html`<section class="operation" id="${name}"${script}>
<h3><a href="#${name}"><span class="method">GET</span> <code>${path}</code></a></h3>
<p class="summary">${summary}. ${prose(description)}</p>
${accessNote(operation)}
${exampleSection(address, path, operation, call)}
${parameterTable(components, parameterList)}
${searchNote(parameterList)}
${responses['302'] ? redirectDetails(responses['302'] as Response) : successDetails(responses['200'] as Response)}
${errorList(components, responses)}
</section>
`;
}

function resolve<Kind extends keyof Components>(components: Components, kind: Kind, { $ref }: Ref) {
  return components[kind][$ref.slice($ref.lastIndexOf('/') + 1)] as Components[Kind][string];
}

function accessNote({ security }: Operation): Markup {
  const [first = {}] = security;
  if (!first.token) return html``;
  const scopes = first.token.map((scope) => html` with the scope <code>${scope}</code>`);
  return html`<p class="note">Requires a token${scopes}.</p>`;
}

function parameterTable(components: Components, parameters: Parameter[]): Markup {
  if (parameters.length === 0) return html``;
  const rows = parameters.map(({ name, description, schema, required }) => ({
    data: parameterData(components, schema, required),
    name,
    description,
    type: html`${describeType(schema)}${required ? ', required' : describeDefault(schema.default)}`,
  }));
  return html`<h4>Parameters</h4>\n${table('Name', rows)}`;
}

function describeDefault(value: unknown): string {
  return value === undefined || Array.isArray(value) ? '' : `, default ${value}`;
}

/** For the form that tries the operation. */
function parameterData(components: Components, schema: Schema, isInPath: boolean): Markup {
  const { $ref, ...own } = schema.items ?? schema;
  const values = ($ref ? resolve(components, 'schemas', { $ref }) : own).enum;
  const list = values ? html` data-values="${values.join()}"` : '';
  const fallback = describeDefault(schema.default) && html` data-default="${String(schema.default)}"`;
  const many = schema.items ? html` data-many` : '';
  return html` data-in="${isInPath ? 'path' : 'query'}"${list}${fallback}${many}`;
}

function searchNote(parameters: Parameter[]): Markup {
  if (!parameters.some(({ name }) => name === 'search')) return html``;
  return html`<p><a href="#search-language">How to write a pattern</a></p>`;
}

/** Nobody can sign the link to a file as an example. */
function exampleSection(
  address: string,
  path: string,
  operation: Operation,
  call: ExampleCall | undefined,
): Markup {
  if (!call && address.includes('{')) return html``;
  const tryButton = html`<button type="button" class="button small" data-action="try" aria-expanded="false" aria-label="Try it: ${path}">Try it</button>`;
  return html`<div class="example">
<div class="caption"><h4>Example</h4>
<button type="button" class="button small" data-action="copy" aria-label="Copy the example of ${path}">Copy</button>
${call ? tryButton : ''}</div>
<pre class="call" tabindex="0"><code>${curlCommand(address, operation, call)}</code></pre>
</div>`;
}

function curlCommand(
  path: string,
  { security, responses }: Operation,
  { id = '', query = {} }: ExampleCall = {},
): string {
  const address = path.replace('{id}', id).replace(/\/$/, '');
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeValue(value)}`);
  const token = security[0]?.token ? ' -H "Authorization: Bearer $TOKEN"' : '';
  const options = responses['302'] ? ' -L -o image' : '';
  return `curl${token}${options} '${ORIGIN}${address}${pairs.length > 0 ? '?' : ''}${pairs.join('&')}'`;
}

/** An apostrophe would end the quoted address in a shell. */
function encodeValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll("'", '%27').replaceAll('%2C', ',');
}

function successDetails({ content = {}, headers }: Response): Markup {
  const [[type, { schema, examples = {} }] = ['', { schema: {} }]] = Object.entries(content);
  const data = schema.properties?.data;
  const body = data ? html`<code>data</code>: ${describeType(data)}` : html`<code>${type}</code>`;
  const notable = ['X-Total-Count', 'X-Next-Cursor', 'Link', 'ETag'].filter((name) => headers[name]);
  return html`<p><strong>200</strong> with ${body}${notable.map(
    (name, index) => html`${index === 0 ? '; headers ' : ', '}<code>${name}</code>`,
  )}.</p>
${Object.values(examples).map(({ value }) => exampleResponse(value))}`;
}

function exampleResponse(value: unknown): Markup {
  return html`<details class="example"><summary>Example response</summary>
<div class="caption"><button type="button" class="button small" data-action="copy" aria-label="Copy the response">Copy</button></div>
<pre tabindex="0"><code>${JSON.stringify(value, undefined, 2)}</code></pre></details>`;
}

function redirectDetails({ description }: Response): Markup {
  return html`<p><strong>302</strong>: ${prose(description)}</p>`;
}

function errorList(components: Components, responses: Operation['responses']): Markup {
  const others = Object.entries(responses).filter(([status]) => status !== '200' && status !== '302');
  const items = others.map(([status, response]) => {
    const { description } = '$ref' in response ? resolve(components, 'responses', response) : response;
    return html`<dt>${status}</dt><dd>${prose(description)}</dd>
`;
  });
  if (items.length === 0) return html``;
  return html`<h4>Other responses</h4>
<dl class="responses">${items}</dl>`;
}

const referencedName = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);

/** The type in a few words. A named schema links to its table. */
function describeType(schema: Schema): Markup {
  if (schema.$ref) return html`<a href="#${referencedName(schema.$ref)}">${referencedName(schema.$ref)}</a>`;
  if (schema.items) return html`array of ${describeType(schema.items)}`;
  if (schema.anyOf) return join(schema.anyOf.map(describeType), ' or ');
  if (schema.enum)
    return join(
      schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ', ',
    );
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  return html`${schema.type ?? 'any'}${describeBounds(schema)}`;
}

function join(parts: Markup[], separator: string): Markup {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`;
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

/** The fields of a record in a table. */
export function schemaSection(name: string, schema: Schema): Markup {
  const fields = listFields(schema);
  return html`<section class="schema" id="${name}">
<h3><a href="#${name}">${name}</a></h3>
${fields.length > 0 ? table('Field', fields) : html`<p>${describeType(schema)}</p>`}
</section>
`;
}

function table(heading: string, rows: Row[]): Markup {
  const lines = rows.map(
    ({
      data,
      name,
      type,
      description,
    }) => html`<tr${data ?? ''}><th scope="row"><code>${name}</code></th><td>${type}</td>
<td>${prose(description)}</td></tr>
`,
  );
  return html`<table>
<thead><tr><th scope="col">${heading}</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>${lines}</tbody></table>`;
}
