/** The schema builders make the same JSON as TypeBox's own, in the same order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import TypeBox from 'typebox';
import * as Type from '../src/lib/json-schema.ts';

const options = { description: 'text', minimum: 1, default: [] };

function schemasOf(type: typeof Type) {
  const text = type.String();
  const builders = [type.String, type.Integer, type.Boolean, type.Null];
  return {
    plain: builders.flatMap((build) => [build(), build(options)]),
    literals: [type.Literal('a'), type.Literal(false, options), type.Literal(7)],
    array: [type.Array(text), type.Array(text, options)],
    union: [type.Union([text, type.Boolean()]), type.Union([text, type.Null()], options)],
    intersect: type.Intersect([type.Object({ a: text }), type.Object({ b: text })], options),
    object: type.Object({ a: text, b: type.Optional(text), c: type.Integer() }, options),
    optionalObject: type.Optional(type.Object({ a: text })),
    nothingRequired: [type.Object({}), type.Object({ a: type.Optional(text) })],
  };
}

test('makes the same schemas as TypeBox', () => {
  assert.equal(JSON.stringify(schemasOf(Type)), JSON.stringify(schemasOf(TypeBox as unknown as typeof Type)));
});

test('Optional leaves its parameter unchanged', () => {
  const text = Type.String();
  Type.Optional(text);
  assert.deepEqual(Type.Object({ text }), {
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string' } },
  });
});
