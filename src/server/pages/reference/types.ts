/** The parts of OpenAPI that our document uses. */
export interface OpenApi {
  openapi: string;
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: Server[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: Components;
}

interface Server {
  url: string;
  description: string;
}

export interface PathItem {
  /** Only on paths outside the API prefixes. */
  servers?: Server[];
  get: Operation;
}

export interface Components {
  schemas: Record<string, Schema>;
  parameters: Record<string, Parameter>;
  headers: Record<string, Header>;
  responses: Record<string, Response>;
  securitySchemes: Record<string, object>;
}

export interface Ref {
  $ref: string;
}

export function refTo(kind: keyof Components, name: string): Ref {
  return { $ref: `#/components/${kind}/${name}` };
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters: (Ref | Parameter)[];
  responses: Record<string, Response | Ref>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description: string;
  schema: Schema;
  example: unknown;
  /** Values are separated by commas. */
  explode?: false;
}

export interface Header {
  description: string;
  required?: true;
  schema: Schema;
  example: unknown;
}

export interface Response {
  description: string;
  headers: Record<string, Ref>;
  /** By media type. */
  content?: Record<string, MediaType>;
}

interface MediaType {
  schema: Schema;
  examples?: Record<string, { value: unknown }>;
}

export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
}
