/**
 * Finds what breaks clients between two versions of the OpenAPI document. Requests must keep working: a parameter accepts
 * all that it did. Responses must stay readable: a field contains only what it did. Additions are fine.
 */
import { isDeepStrictEqual } from 'node:util';
import type {
  Header,
  OpenApi,
  Operation,
  Parameter,
  Response,
  Schema,
} from '../src/server/pages/reference/responses.ts';

export interface BreakingChange {
  /** Such as `GET /image/random?limit`, or what endpoints share: `?limit`, `Image.meta.expires`. */
  name: string;
  change: string;
}

/** Who writes a value: the client, in a parameter, or the server, in a response. */
type Writer = 'client' | 'server';
type Report = (name: string, change: string) => void;
type Inlined = { parameters: Parameter[]; responses: Record<string, Response>; servers?: string[] } & Omit<
  Operation,
  'parameters' | 'responses'
>;

/** On what was a reference: the name of what it referred to. */
const SHARED = Symbol('shared');
/** Texts, and what has rules of its own. */
const OTHER_KEYWORDS = ['description', 'title', 'examples', 'default', 'properties', 'required', 'items'];
// A response may get new fields.
OTHER_KEYWORDS.push('additionalProperties');

export function findBreakingChanges(before: OpenApi, after: OpenApi): BreakingChange[] {
  const found = new Map<string, BreakingChange>();
  // What endpoints share is compared once for each of them.
  const report: Report = (name, change) => found.set(`${name} ${change}`, { name, change });
  for (const { url } of before.servers)
    if (!after.servers.some((server) => server.url === url)) report(url, 'removed');
  const operations = readOperations(after);
  for (const [name, operation] of readOperations(before)) {
    const now = operations.get(name);
    if (now) compareOperations(name, operation, now, report);
    else report(name, 'removed');
  }
  return [...found.values()];
}

/** The names in the newest section of the changelog, under "What you must change", in backticks. */
export function readNamedChanges(changelog: string): Set<string> {
  const [, newest = ''] = changelog.split(/^## /m);
  const [, mustChange = ''] = newest.split(/^### What you must change$/m);
  const [text = ''] = mustChange.split(/^### /m);
  return new Set(Array.from(text.matchAll(/`([^`]+)`/g), ([, name = '']) => name.replace(/\s+/g, ' ')));
}

function readOperations(document: OpenApi): Map<string, Inlined> {
  const paths = inlineReferences(document, document.paths) as Record<string, Record<string, unknown>>;
  return new Map(
    Object.entries(paths).flatMap(([path, { servers, ...methods }]) =>
      Object.entries(methods).map(([method, operation]) => {
        const urls = (servers as OpenApi['servers'] | undefined)?.map(({ url }) => url);
        return [
          `${method.toUpperCase()} ${path}`,
          { ...(operation as Inlined), ...(urls && { servers: urls }) },
        ];
      }),
    ),
  );
}

function inlineReferences(document: OpenApi, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((part) => inlineReferences(document, part));
  if (typeof node !== 'object' || node === null) return node;
  if (!('$ref' in node))
    return Object.fromEntries(
      Object.entries(node).map(([key, part]) => [key, inlineReferences(document, part)]),
    );
  const [, , kind, name = ''] = String(node.$ref).split('/');
  const components = document.components as unknown as Record<string, Record<string, object>>;
  const target = components[kind ?? '']?.[name];
  if (!target) throw new Error(`${node.$ref} does not exist`);
  const shared = 'in' in target && 'name' in target ? `?${target.name}` : name;
  return Object.assign(inlineReferences(document, target) as object, { [SHARED]: shared });
}

/** The name of what both refer to, or else the name within the endpoint. */
function nameOf(before: object, after: object, local: string): string {
  const [one, other] = [before, after].map((node) => (node as { [SHARED]?: string })[SHARED]);
  return one !== undefined && one === other ? one : local;
}

function compareOperations(name: string, before: Inlined, after: Inlined, report: Report): void {
  for (const key of ['operationId', 'servers'] as const)
    if (!isDeepStrictEqual(before[key], after[key])) report(name, describe(key, before[key], after[key]));
  const isGranted = before.security.every((access) => after.security.some((now) => isNoMore(now, access)));
  if (!isGranted) report(name, describe('security', before.security, after.security));
  compareParameters(name, before.parameters, after.parameters, report);
  for (const [status, response] of Object.entries(before.responses)) {
    const now = after.responses[status];
    if (now) compareResponses(nameOf(response, now, `${name} ${status}`), response, now, report);
    else report(`${name} ${status}`, 'removed');
  }
}

/** Whether an alternative asks for no scheme and no scope that the other one does not ask for. */
function isNoMore(now: Record<string, string[]>, before: Record<string, string[]>): boolean {
  return Object.entries(now).every(
    ([scheme, scopes]) => before[scheme] && scopes.every((scope) => before[scheme]?.includes(scope)),
  );
}

function compareParameters(endpoint: string, before: Parameter[], after: Parameter[], report: Report): void {
  const find = (all: Parameter[], wanted: Parameter) =>
    all.find((parameter) => parameter.in === wanted.in && parameter.name === wanted.name);
  for (const parameter of after)
    if (parameter.required && !find(before, parameter))
      report(`${endpoint}?${parameter.name}`, 'new and required');
  for (const parameter of before) {
    const now = find(after, parameter);
    const local = `${endpoint}?${parameter.name}`;
    if (!now) {
      report(local, 'removed');
      continue;
    }
    const name = nameOf(parameter, now, local);
    if (now.required && !parameter.required) report(name, 'now required');
    const isList = parameter.schema.type === 'array';
    if (isList && parameter.explode !== now.explode)
      report(name, describe('explode', parameter.explode, now.explode));
    // A list accepts what a single value does.
    const { schema } = now;
    const accepted = !isList && schema.type === 'array' && schema.items ? schema.items : schema;
    compareSchemas(nameOf(parameter.schema, accepted, name), parameter.schema, accepted, 'client', report);
  }
}

function compareResponses(name: string, before: Response, after: Response, report: Report): void {
  for (const [header, old] of Object.entries(before.headers ?? {}) as [string, unknown][]) {
    const now = after.headers?.[header] as unknown;
    const local = `${name} ${header}`;
    if (now)
      compareHeaders(nameOf(old as Header, now as Header, local), old as Header, now as Header, report);
    else report(local, 'removed');
  }
  for (const [type, { schema }] of Object.entries(before.content ?? {})) {
    const now = after.content?.[type]?.schema;
    if (now) compareSchemas(nameOf(schema, now, name), schema, now, 'server', report);
    else report(`${name} ${type}`, 'removed');
  }
}

function compareHeaders(name: string, before: Header, after: Header, report: Report): void {
  if (before.required && !after.required) report(name, 'no longer always present');
  compareSchemas(nameOf(before.schema, after.schema, name), before.schema, after.schema, 'server', report);
}

function compareSchemas(name: string, before: Schema, after: Schema, writer: Writer, report: Report): void {
  const [old, now] = [valuesAsList(before), valuesAsList(after)];
  const [narrow, wide] = writer === 'client' ? [old, now] : [now, old];
  for (const keyword of new Set([...Object.keys(old), ...Object.keys(now)]))
    if (
      !OTHER_KEYWORDS.includes(keyword) &&
      !isWithin(keyword, narrow[keyword], wide[keyword]) &&
      !(keyword === 'format' && isNamed(old, now))
    )
      report(name, describe(keyword, old[keyword], now[keyword]));
  if (writer === 'client' && 'default' in before && !isDeepStrictEqual(before.default, after.default))
    report(name, describe('default', before.default, after.default));
  if (before.items && after.items)
    compareSchemas(nameOf(before.items, after.items, `${name}[]`), before.items, after.items, writer, report);
  for (const [key, property] of Object.entries(before.properties ?? {})) {
    const local = `${name}.${key}`;
    const other = after.properties?.[key];
    if (!other) {
      report(local, 'removed');
      continue;
    }
    if (before.required?.includes(key) && !after.required?.includes(key))
      report(local, 'no longer always present');
    compareSchemas(nameOf(property, other, local), property, other, writer, report);
  }
}

/** A format that is new next to a pattern that stayed is only its name: the same values are valid. */
function isNamed(old: Record<string, unknown>, now: Record<string, unknown>): boolean {
  return old.format === undefined && now.pattern !== undefined && now.pattern === old.pattern;
}

function valuesAsList({ const: value, ...schema }: Schema): Record<string, unknown> {
  return value === undefined ? schema : { ...schema, enum: [value] };
}

/** Whether all that the keyword allows with the first value, it allows with the second. */
function isWithin(keyword: string, narrow: unknown, wide: unknown): boolean {
  if (wide === undefined) return true;
  if (narrow === undefined) return false;
  if (keyword === 'enum') return (narrow as unknown[]).every((value) => (wide as unknown[]).includes(value));
  if (/^min/.test(keyword)) return Number(narrow) >= Number(wide);
  if (/^max/.test(keyword)) return Number(narrow) <= Number(wide);
  return isDeepStrictEqual(narrow, wide);
}

const describe = (key: string, before: unknown, after: unknown): string =>
  `${key}: ${JSON.stringify(before) ?? 'none'} → ${JSON.stringify(after) ?? 'none'}`;
