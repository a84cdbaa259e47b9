/**
 * Builds JSON Schemas with the types of TypeBox. TypeBox's own builders make the same objects, but loading them
 * delays every start (docs/internals/performance.md).
 */
import type Type from 'typebox';

export type { Static, TObject, TProperties, TSchema, TUnsafe } from 'typebox';

type Schema = Record<string, unknown>;

/** JSON Schema says which properties of an object are required, TypeBox which are optional. */
const optionals = new WeakSet<Schema>();

const ofType = (type: string) => (options?: object) => ({ type, ...options });

function makeObject(properties: Record<string, Schema>, options?: object): Schema {
  const required = Object.keys(properties).filter((name) => !optionals.has(properties[name] as Schema));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function makeOptional(schema: Schema): Schema {
  const optional = { ...schema };
  optionals.add(optional);
  return optional;
}

const builders = {
  Array: (items: Schema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Integer: ofType('integer'),
  Intersect: (allOf: Schema[], options?: object) => ({ allOf, ...options }),
  Literal: (value: unknown, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: ofType('null'),
  Object: makeObject,
  Optional: makeOptional,
  String: ofType('string'),
  Union: (anyOf: Schema[], options?: object) => ({ anyOf, ...options }),
} as unknown as typeof Type;

const {
  Array: arraySchema,
  Boolean: booleanSchema,
  Integer: integerSchema,
  Intersect: intersectSchema,
  Literal: literalSchema,
  Null: nullSchema,
  Object: objectSchema,
  Optional: optionalSchema,
  String: stringSchema,
  Union: unionSchema,
} = builders;

export {
  arraySchema as Array,
  booleanSchema as Boolean,
  integerSchema as Integer,
  intersectSchema as Intersect,
  literalSchema as Literal,
  nullSchema as Null,
  objectSchema as Object,
  optionalSchema as Optional,
  stringSchema as String,
  unionSchema as Union,
};
