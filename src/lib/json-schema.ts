/**
 * Builds JSON Schemas whose types follow from them. TypeBox makes the same objects, but loading its builders delays every
 * start (docs/internals/performance.md), and its types take most of a type check.
 */
declare const VALUE: unique symbol;
declare const OPTIONAL: unique symbol;

/** A schema of values of type T. */
export interface TSchema<T = unknown> {
  readonly [VALUE]?: T;
  [keyword: string]: unknown;
}
interface TUnion<T> extends TSchema<T> {
  anyOf: TSchema[];
}
export interface TOptional<T = unknown> extends TSchema<T> {
  readonly [OPTIONAL]: true;
}
export type TProperties = Record<string, TSchema>;
export interface TObject<P extends TProperties = TProperties> extends TSchema<Fields<P>> {
  properties: P;
}

/** The type of what a schema describes. */
export type Static<S extends TSchema> = S extends TSchema<infer T> ? T : never;

type OptionalKeys<P> = { [K in keyof P]: P[K] extends TOptional ? K : never }[keyof P];
type Fields<P extends TProperties> = Flat<
  { [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]> } & { [K in OptionalKeys<P>]?: Static<P[K]> }
>;
type Flat<T> = { [K in keyof T]: T[K] };
type AllOf<T> = (T extends unknown ? (value: T) => void : never) extends (value: infer I) => void
  ? Flat<I>
  : never;

/** JSON Schema says which properties of an object are required, here it is said which are optional. */
const optionals = new WeakSet<object>();

const ofType =
  <T>(type: string) =>
  (options?: object) =>
    ({ type, ...options }) as TSchema<T>;

const booleanSchema = ofType<boolean>('boolean');
const integerSchema = ofType<number>('integer');
const nullSchema = ofType<null>('null');
const stringSchema = ofType<string>('string');

const arraySchema = <T>(items: TSchema<T>, options?: object) =>
  ({ type: 'array', items, ...options }) as TSchema<T[]>;

const literalSchema = <const T extends string | number | boolean>(value: T, options?: object) =>
  ({ type: typeof value, const: value, ...options }) as TSchema<T>;

const unionSchema = <S extends TSchema>(anyOf: S[], options?: object) =>
  ({ anyOf, ...options }) as TUnion<Static<S>>;

const oneOfSchema = <const T extends string>(values: readonly T[], options?: object) =>
  unionSchema(
    values.map((value) => literalSchema(value)),
    options,
  ) as TUnion<T>;

const intersectSchema = <S extends TSchema>(allOf: S[], options?: object) =>
  ({ allOf, ...options }) as TSchema<AllOf<Static<S>>>;

function objectSchema<P extends TProperties>(properties: P, options?: object): TObject<P> {
  const required = Object.keys(properties).filter((name) => !optionals.has(properties[name] as TSchema));
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties,
    ...options,
  } as unknown as TObject<P>;
}

/** An object without other properties. */
const closedSchema = <P extends TProperties>(properties: P): TObject<P> =>
  objectSchema(properties, { additionalProperties: false });

function optionalSchema<S extends TSchema>(schema: S): S & TOptional<Static<S>> {
  const optional = { ...schema };
  optionals.add(optional);
  return optional as S & TOptional<Static<S>>;
}

export {
  arraySchema as Array,
  booleanSchema as Boolean,
  closedSchema as Closed,
  integerSchema as Integer,
  intersectSchema as Intersect,
  literalSchema as Literal,
  nullSchema as Null,
  objectSchema as Object,
  oneOfSchema as OneOf,
  optionalSchema as Optional,
  stringSchema as String,
  unionSchema as Union,
};
