/** Compiles schemas to validators. Deriving a type from each schema once more would take TypeBox's types seconds. */
import { Compile } from 'typebox/schema';
import type { TSchema } from './json-schema.ts';

export interface SchemaError {
  keyword: string;
  /** A JSON pointer. */
  instancePath: string;
  params: object;
  message: string;
}

export interface Validator {
  Check(value: unknown): boolean;
  Errors(value: unknown): [boolean, SchemaError[]];
}

export const compile = Compile as unknown as (schema: TSchema) => Validator;
