/** The keys of a bucket, a page of the listing at a time. */
import type { Send } from './client.ts';

export async function* listKeys(send: Send, prefix: string): AsyncGenerator<string, void> {
  let token: string | undefined;
  do {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      prefix,
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const page = await send({ method: 'GET', query }, (response) => response.text());
    if (!page.includes('<ListBucketResult')) throw new Error('S3 answered something that is no listing');
    // Servers that do not know how to encode do not say that they did.
    const isEncoded = elementsIn(page, 'EncodingType')[0] === 'url';
    for (const text of elementsIn(page, 'Key')) {
      const key = isEncoded ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
      if (key.startsWith(prefix) && isVisible(key.slice(prefix.length))) yield key.slice(prefix.length);
    }
    token = elementsIn(page, 'NextContinuationToken')[0];
    if (token === undefined && elementsIn(page, 'IsTruncated')[0] === 'true')
      throw new Error('S3 cut its listing short and did not say how it goes on');
  } while (token !== undefined);
}

/** Neither hidden nor one of those empty objects by which consoles pretend that there are folders. */
function isVisible(key: string): boolean {
  return key !== '' && !key.endsWith('/') && !key.split('/').some((segment) => segment.startsWith('.'));
}

function elementsIn(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) =>
    plain(text ?? ''),
  );
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function plain(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(amp|lt|gt|quot|apos));/g,
    (_whole, hex, decimal, name) => {
      if (name) return named[name] as string;
      return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal));
    },
  );
}
