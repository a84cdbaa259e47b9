/** Schemas for people: types in words, and the fields of records in tables. */
import { html, type Markup, prose } from '../html.ts';
import type { Schema } from './types.ts';

const referencedName = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);

/** The type in a few words. A named schema links to its table. */
export function describeType(schema: Schema): Markup {
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

export function schemaSection(name: string, schema: Schema): Markup {
  const fields = listFields(schema);
  return html`<section class="schema" id="${name}">
<h3><a href="#${name}">${name}</a></h3>
${fields.length > 0 ? table('Field', fields) : html`<p>${describeType(schema)}</p>`}
</section>
`;
}

export function table(heading: string, rows: Row[]): Markup {
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
