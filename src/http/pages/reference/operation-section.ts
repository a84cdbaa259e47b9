/** One operation of the reference page. */
import type { Route } from '../../api/endpoint.ts';
import { html, type Markup, prose } from './markup.ts';
import { describeType, table } from './schema-tables.ts';
import type { Components, OpenApi, Operation, Parameter, Ref, Response } from './types.ts';

/** A placeholder for the origin that the reader called. */
export const ORIGIN = '\u0000origin\u0000';

export function operationSection(
  { components, servers }: OpenApi,
  path: string,
  operation: Operation,
  example: Route['example'],
): Markup {
  const { operationId: name, summary, description, responses } = operation;
  return html`<section class="operation" id="${name}">
<h3><a href="#${name}"><span class="method">GET</span> <code>${path}</code></a></h3>
<p class="summary">${summary}. ${prose(description)}</p>
${accessNote(operation)}
${parameterTable(operation.parameters.map((ref) => resolve(components, 'parameters', ref)))}
<h4>Example</h4>
<pre class="call" tabindex="0"><code>${curlCommand(`${servers[0]?.url.replace(/\/$/, '')}${path}`, operation, example)}</code></pre>
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

function parameterTable(parameters: Parameter[]): Markup {
  if (parameters.length === 0) return html``;
  const rows = parameters.map(({ name, description, schema, required }) => ({
    name,
    description,
    type: html`${describeType(schema)}${required ? ', required' : describeDefault(schema.default)}`,
  }));
  return html`<h4>Parameters</h4>\n${table('Name', rows)}`;
}

function describeDefault(value: unknown): string {
  return value === undefined || Array.isArray(value) ? '' : `, default ${value}`;
}

function curlCommand(
  path: string,
  { security, responses }: Operation,
  { id = '', query = {} }: Route['example'],
): string {
  const address = path.replace('{id}', id).replace(/\/$/, '');
  const pairs = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`,
  );
  const token = security[0]?.token ? ' -H "Authorization: Bearer $TOKEN"' : '';
  const options = responses['302'] ? ' -L -o image' : '';
  return `curl${token}${options} '${ORIGIN}${address}${pairs.length > 0 ? '?' : ''}${pairs.join('&')}'`;
}

function successDetails({ content, headers }: Response): Markup {
  const json = content?.['application/json'];
  const examples = Object.values(json?.examples ?? {}).map(({ value }) =>
    JSON.stringify(value, undefined, 2),
  );
  const data = json?.schema.properties?.data ?? {};
  const notable = ['X-Total-Count', 'X-Next-Cursor', 'Link', 'ETag'].filter((name) => headers[name]);
  return html`<p><strong>200</strong> with <code>data</code>: ${describeType(data)}${notable.map(
    (name, index) => html`${index === 0 ? '; headers ' : ', '}<code>${name}</code>`,
  )}.</p>
<details><summary>Example response</summary>
${examples.map((text) => html`<pre tabindex="0"><code>${text}</code></pre>`)}</details>`;
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
  return html`<h4>Other responses</h4>
<dl class="responses">${items}</dl>`;
}
