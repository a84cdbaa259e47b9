/** One endpoint as people read it. */
import { type Description, descriptions, ids } from './descriptions.ts';
import { html, type Markup, prose } from './markup.ts';
import { rowTable, typeOf } from './shapes.ts';
import type { Components, OpenApi, Operation, Parameter, Ref, Response } from './types.ts';

/** Stands for the origin that the reader called. */
export const ORIGIN = '\u0000origin\u0000';

export function endpointSection(document: OpenApi, path: string, operation: Operation): Markup {
  const { operationId: name, summary, description, responses } = operation;
  const told = descriptions[path] as Description;
  return html`<section class="endpoint" id="${name}">
<h3><a href="#${name}"><span class="method">GET</span> <code>${path}</code></a></h3>
<p class="summary">${summary}. ${prose(description)}</p>
${accessNote(operation)}
${parameterTable(operation.parameters.map((ref) => resolved(document.components, 'parameters', ref)))}
<h4>Example</h4>
<pre class="call" tabindex="0"><code>${curlOf(document, path, operation, told)}</code></pre>
${answerOf(responses['200'] as Response)}
${errorList(document.components, responses)}
</section>
`;
}

/** What a reference leads to. */
function resolved<Kind extends keyof Components>(components: Components, kind: Kind, { $ref }: Ref) {
  return components[kind][$ref.slice($ref.lastIndexOf('/') + 1)] as Components[Kind][string];
}

function accessNote({ security }: Operation): Markup {
  const [first = {}] = security;
  if (!first.token) return html``;
  const scopes = first.token.map((scope) => html` with the scope <code>${scope}</code>`);
  return html`<p class="note">Needs a token${scopes}.</p>`;
}

function parameterTable(parameters: Parameter[]): Markup {
  if (parameters.length === 0) return html``;
  const rows = parameters.map(({ name, description, schema, required }) => ({
    ...{ name, meaning: description },
    type: html`${typeOf(schema)}${required ? ', required' : defaultOf(schema.default)}`,
  }));
  return html`<h4>Parameters</h4>\n${rowTable('Name', rows)}`;
}

function defaultOf(value: unknown): string {
  return value === undefined || Array.isArray(value) ? '' : `, ${value} by default`;
}

function curlOf(document: OpenApi, path: string, operation: Operation, { query }: Description): string {
  const [, kind = ''] = path.split('/');
  const where = `${document.servers[0]?.url}${path === '/' ? '' : path.replace('{id}', ids[kind] ?? '')}`;
  const pairs = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`,
  );
  const token = operation.security[0]?.token ? ' -H "Authorization: Bearer $TOKEN"' : '';
  return `curl${token} '${ORIGIN}${where}${pairs.length > 0 ? '?' : ''}${pairs.join('&')}'`;
}

function answerOf({ content, headers }: Response): Markup {
  const json = content?.['application/json'];
  const values = Object.values(json?.examples ?? {}).map(({ value }) => JSON.stringify(value, undefined, 2));
  const data = json?.schema.properties?.data ?? {};
  const telling = ['X-Total-Count', 'X-Next-Cursor', 'Link', 'ETag'].filter((name) => headers[name]);
  return html`<p><strong>200</strong> with <code>data</code>: ${typeOf(data)}${telling.map(
    (name, index) => html`${index === 0 ? '; headers ' : ', '}<code>${name}</code>`,
  )}.</p>
<details><summary>What it answers</summary>
${values.map((text) => html`<pre tabindex="0"><code>${text}</code></pre>`)}</details>`;
}

function errorList(components: Components, responses: Operation['responses']): Markup {
  const entries = Object.entries(responses).filter(([status]) => status !== '200');
  const items = entries.map(([status, response]) => {
    const { description } = '$ref' in response ? resolved(components, 'responses', response) : response;
    return html`<dt>${status}</dt><dd>${prose(description)}</dd>
`;
  });
  return html`<h4>Other answers</h4>
<dl class="answers">${items}</dl>`;
}
