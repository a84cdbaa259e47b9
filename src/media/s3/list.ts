/** Lists the keys of a bucket, page by page. */
import type { SendRequest } from './client.ts';

export async function* listKeys(send: SendRequest, prefix: string): AsyncGenerator<string, void> {
  let token: string | undefined;
  do {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      prefix,
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const page = await send({ method: 'GET', query }, (response) => response.text());
    if (!page.includes('<ListBucketResult')) throw new Error('S3 sent an invalid list of objects');
    // Servers that do not support the encoding do not return its name.
    const isEncoded = readElements(page, 'EncodingType')[0] === 'url';
    for (const text of readElements(page, 'Key')) {
      const key = isEncoded ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
      if (key.startsWith(prefix) && isVisible(key.slice(prefix.length))) yield key.slice(prefix.length);
    }
    token = readElements(page, 'NextContinuationToken')[0];
    if (token === undefined && readElements(page, 'IsTruncated')[0] === 'true')
      throw new Error('S3 sent a truncated list of objects without a continuation token');
  } while (token !== undefined);
}

/** Neither hidden nor an empty object that a console created to show a folder. */
function isVisible(key: string): boolean {
  return key !== '' && !key.endsWith('/') && !key.split('/').some((segment) => segment.startsWith('.'));
}

function readElements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) =>
    decodeEntities(text ?? ''),
  );
}

const namedEntities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(amp|lt|gt|quot|apos));/g,
    (_whole, hex, decimal, name) => {
      if (name) return namedEntities[name] as string;
      return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal));
    },
  );
}
