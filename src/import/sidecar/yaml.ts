/**
 * Reads the YAML that PhotoPrism writes: texts under names, some of them one level deep, as go-yaml prints them. Nothing else of
 * YAML is needed, and a library for all of it would have to be kept from its anchors, tags and cycles.
 */
import { RecordError } from '../records/problems.ts';

/** One space before the value: with any number, a line that `.*` does not match to its end would take quadratic time. */
const line = /^( {0,2})([A-Za-z][A-Za-z0-9]*):(?: (.*))?$/;
const escapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '0': '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
};

/** A text by its name, such as `Title` or `Details.Keywords`. Lists are left out. */
export function readFlatYaml(yaml: string): Map<string, string> {
  const fields = new Map<string, string>();
  const lines = yaml.replace(/^\ufeff/, '').split(/\r?\n/);
  let parent = '';
  for (let at = 0; at < lines.length; ) {
    const current = lines[at++] as string;
    if (/^\s*(#.*)?$/.test(current) || current === '---') continue;
    const [, indent = '', name, text = ''] = line.exec(current) ?? [];
    const value = text.trim();
    if (name === undefined) throw new RecordError(`not YAML of PhotoPrism, in line ${at}`);
    // What is indented more belongs to this name; so do the items of a list.
    const start = at;
    while (at < lines.length && isContinued(lines[at] as string, indent)) at++;
    const more = lines.slice(start, at);
    if (indent === '') parent = name;
    const isParent = value === '' && more.some((item) => line.test(item));
    if (isParent && indent === '') at = start;
    else if (!more.some((item) => /^\s*- /.test(item)) || /^[|>]/.test(value))
      fields.set(indent === '' ? name : `${parent}.${name}`, scalar(value, more));
  }
  return fields;
}

function isContinued(text: string, indent: string): boolean {
  return text.trim() === '' || text.startsWith(`${indent} `) || text.startsWith(`${indent}- `);
}

function scalar(value: string, more: string[]): string {
  if (/^[|>][+-]?\d?$/.test(value)) return block(value.startsWith('>') ? ' ' : '\n', more);
  // A line break inside a text is a space.
  const whole = [value, ...more]
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ');
  if (whole.startsWith("'") && whole.endsWith("'")) return whole.slice(1, -1).replaceAll("''", "'");
  if (whole.startsWith('"') && whole.endsWith('"'))
    return whole
      .slice(1, -1)
      .replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))/gi, (_, x, u, long, sign) =>
        sign === undefined ? codePoint(x ?? u ?? long) : (escapes[sign] ?? sign),
      );
  return whole === 'null' || whole === '~' ? '' : whole;
}

function codePoint(digits: string): string {
  const code = Number.parseInt(digits, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

function block(separator: string, more: string[]): string {
  return more
    .map((part) => part.trim())
    .join(separator)
    .trim();
}
