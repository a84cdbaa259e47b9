/** Shapes as people read them: the type of a value in words, and the fields of a record in a table. */
import { html, type Markup, prose } from './markup.ts';
import type { Schema } from './types.ts';

const nameIn = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);

/** The type in a few words; a name leads to its table. */
export function typeOf(schema: Schema): Markup {
  if (schema.$ref) return html`<a href="#${nameIn(schema.$ref)}">${nameIn(schema.$ref)}</a>`;
  if (schema.items) return html`array of ${typeOf(schema.items)}`;
  if (schema.anyOf) return joined(schema.anyOf.map(typeOf), ' or ');
  if (schema.enum)
    return joined(
      schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ', ',
    );
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  return html`${schema.type ?? 'anything'}${bounds(schema)}`;
}

function joined(parts: Markup[], between: string): Markup {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${between}${part}`))}`;
}

function bounds({ minimum, maximum, maxLength }: Schema): string {
  if (maxLength !== undefined) return `, at most ${maxLength} characters`;
  if (minimum === undefined) return '';
  return maximum === undefined ? `, ${minimum} or more` : `, ${minimum} to ${maximum}`;
}

/** A line of a table: what has a name, a type and a meaning. */
export interface Row {
  name: string;
  type: Markup;
  meaning: string;
}

/** Every field of a record, those of records within it by their path. */
function fieldsOf(schema: Schema, before = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const name = before + key;
    if (value.properties) return fieldsOf(value, `${name}.`);
    return [{ name, type: typeOf(value), meaning: value.description ?? '' }];
  });
}

export function shapeSection(name: string, schema: Schema): Markup {
  const parts = schema.allOf ?? [schema];
  const whole = parts.filter((part) => part.$ref);
  const fields = parts.flatMap((part) => fieldsOf(part));
  return html`<section class="shape" id="${name}">
<h3><a href="#${name}">${name}</a></h3>
${whole.map((part) => html`<p>Everything of ${typeOf(part)}, and</p>`)}
${fields.length > 0 ? rowTable('Field', fields) : html`<p>${typeOf(schema)}</p>`}
</section>
`;
}

export function rowTable(first: string, rows: Row[]): Markup {
  const lines = rows.map(
    ({ name, type, meaning }) => html`<tr><th scope="row"><code>${name}</code></th><td>${type}</td>
<td>${prose(meaning)}</td></tr>
`,
  );
  return html`<table>
<thead><tr><th scope="col">${first}</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${lines}</tbody></table>`;
}
