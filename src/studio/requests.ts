/** Reads requests. What contract.ts does not describe is refused before it reaches the catalogue. */
import type { IncomingMessage } from 'node:http';
import type * as Type from '../lib/json-schema.ts';
import { compile, type Validator } from '../lib/validator.ts';
import { type Address, endpoints, type RequestTo } from './contract.ts';
import type { RefusalDetails } from './responses.ts';

/** A request that cannot be fulfilled. `details` are sent with the message. */
export class StudioError extends Error {
  readonly status: number;
  readonly details: RefusalDetails;
  constructor(status: number, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** The ids of 200,000 images. */
const MAX_BODY_BYTES = 8_000_000;

const validators = new Map<Address, Validator>();

export function readRequest<A extends Address>(address: A, fields: unknown): RequestTo<A> {
  const validator = validators.get(address) ?? compile(endpoints[address].request);
  validators.set(address, validator);
  if (!validator.Check(fields)) throw new StudioError(400, 'the request is not valid: reload the page');
  return fields as RequestTo<A>;
}

/** Lists are parameters that may be repeated. */
export function readQuery<A extends Address>(address: A, query: URLSearchParams): RequestTo<A> {
  const { properties } = endpoints[address].request as unknown as Type.TObject;
  const isList = (name: string) =>
    Object.hasOwn(properties, name) && (properties[name] as { type?: string }).type === 'array';
  const fields = [...new Set(query.keys())].map((name) => {
    const values = query.getAll(name);
    return [name, isList(name) || values.length > 1 ? values : values[0]];
  });
  return readRequest(address, Object.fromEntries(fields));
}

/** The body as JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const tooLarge = 'the request is too large: select fewer pictures';
  const bytes = await readBytes(request, MAX_BODY_BYTES, tooLarge);
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new StudioError(400, 'the request is not JSON');
  }
}

export async function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  tooLarge: string,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new StudioError(413, tooLarge);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new StudioError(413, tooLarge);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
