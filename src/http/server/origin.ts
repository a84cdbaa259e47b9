/** The origin that links start with: the configured one, or the one that the client called. */
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { isTrusted } from '../../access/client-address.ts';

/** Any other Host header could inject text into our JSON. */
const validHost = /^[A-Za-z0-9._-]+(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$/;

export const originReader = (publicUrl: string | undefined, trustedProxies: BlockList) => {
  const hasProxies = trustedProxies.rules.length > 0;
  return (request: IncomingMessage): string => {
    if (publicUrl) return publicUrl;
    const { headers, socket } = request;
    const isForwarded = hasProxies && isTrusted(socket.remoteAddress ?? '', trustedProxies);
    const forwarded = isForwarded ? headers : {};
    const protocol = firstValue(forwarded['x-forwarded-proto']) === 'https' ? 'https' : 'http';
    const host = firstValue(forwarded['x-forwarded-host']) ?? headers.host ?? '';
    return `${protocol}://${validHost.test(host) ? host : `127.0.0.1:${socket.localPort}`}`;
  };
};

function firstValue(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  return text?.split(',', 1)[0]?.trim();
}
