/** The responses of this catalogue to the example calls, shortened, and without what is not safe for everyone. */
import type { LinkSigner } from '../../../access/links.ts';
import type { Call, Response, Route } from '../../../api/endpoint.ts';
import type { ExampleRecords } from '../../../api/examples.ts';
import { readQuery } from '../../../api/query.ts';
import { fromByteString } from '../../../catalogue/documents/image-document.ts';
import { ApiError, successBody } from '../../../http/errors.ts';
import { shorten } from '../../../lib/text.ts';

const HOUR_MS = 3_600_000;

/**
 * By path. Without redirects and what is about a token. The same images are drawn each time and links expire at the same
 * time for an hour, so that the page hardly changes unless the catalogue does.
 */
export async function readResponses(
  routes: readonly Route[],
  records: ExampleRecords,
  { services, ...rest }: Pick<Call<never>, 'services' | 'caller' | 'origin' | 'prefix'>,
): Promise<Record<string, unknown>> {
  const steady = { ...services, randomInt: () => 0, links: shortLinks(services.links) };
  const now = Math.floor(services.clock() / HOUR_MS) * HOUR_MS;
  const responses: Record<string, unknown> = {};
  for (const route of routes) {
    if (!route.data || route.access === 'token') continue;
    const { id = '', query = {} } = route.example.call?.(records) ?? {};
    const values = readQuery(route.query, new Map(Object.entries(query)));
    const call = { ...rest, services: steady, now, id, query: values as never, path: route.path };
    const body = await readBody(route, { ...call, token: undefined });
    if (body) responses[route.path] = body;
  }
  return responses;
}

/** Undefined if there is nothing to show: an error, such as for a record of the demo, or a response without records. */
async function readBody(route: Route, call: Call<never>): Promise<unknown> {
  try {
    const response = await route.handle(call);
    const text = textOf(response);
    if (text === undefined) return undefined;
    const body = present(JSON.parse(text));
    const { data: shown } = body as { data?: unknown };
    return shown === undefined || (Array.isArray(shown) && shown.length === 0) ? undefined : body;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Undefined for a redirect. */
function textOf(response: Response): string | undefined {
  // A byte string, or a buffer, which needs no encoding.
  if ('answer' in response) return Buffer.from(response.answer.bytes as string, 'latin1').toString();
  if (!('data' in response)) return undefined;
  const { data, isByteString } = response;
  return successBody(isByteString ? fromByteString(data) : data);
}

/** Without the signatures: nobody can use them for long, and they are most of the text. */
function shortLinks(links: LinkSigner): LinkSigner {
  return {
    maxLifetime: links.maxLifetime,
    signer(...options) {
      const signLink = links.signer(...options);
      return (file) => {
        const link = signLink(file);
        return { ...link, url: link.url.replace(/\?.*/, '?...') };
      };
    },
  };
}

const MAX_TEXT_LENGTH = 160;
const MAX_RECORDS = 3;
const MAX_VALUES = 50;

/** Undefined for a record that is for adults. Others are shown without those in them, and with shorter texts and lists. */
function present(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value, MAX_TEXT_LENGTH);
  if (Array.isArray(value)) {
    const isOfRecords = typeof value[0] === 'object';
    return value
      .map(present)
      .filter((item) => item !== undefined)
      .slice(0, isOfRecords ? MAX_RECORDS : MAX_VALUES);
  }
  if (typeof value !== 'object' || value === null) return value;
  if ('nsfw' in value && [true, 'nsfw', 'questionable'].includes(value.nsfw as string)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, present(part)]));
}
