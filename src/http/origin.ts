/** The origin that links start with: the configured one, or the one that the client called. */
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { isTrusted } from '../access/client-address.ts';

/** Any other character could inject text into our JSON. No name is longer, and checking one of 16 KB takes long. */
const hostSyntax = /^([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$/;

export const originReader = (publicUrl: string | undefined, trustedProxies: BlockList) => {
  const hasProxies = trustedProxies.rules.length > 0;
  /** Most requests have the same host, and parsing it each time would cost more than the rest. */
  let lastValid = '';
  const isValid = (host: string): boolean => {
    if (host === lastValid) return host !== '';
    const isHost = hostSyntax.test(host) && URL.canParse(`http://${host}`);
    if (isHost) lastValid = host;
    return isHost;
  };
  return (request: Pick<IncomingMessage, 'headers' | 'socket'>): string => {
    if (publicUrl) return publicUrl;
    const { headers, socket } = request;
    const isForwarded = hasProxies && isTrusted(socket.remoteAddress ?? '', trustedProxies);
    const forwarded = isForwarded ? headers : {};
    const protocol = lastValue(forwarded['x-forwarded-proto']) === 'https' ? 'https' : 'http';
    const host = lastValue(forwarded['x-forwarded-host']) ?? headers.host ?? '';
    return `${protocol}://${isValid(host) ? host : `127.0.0.1:${socket.localPort}`}`;
  };
};

/** The one that the trusted proxy added. Those before it may come from the client. */
function lastValue(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header.at(-1) : header;
  return text?.slice(text.lastIndexOf(',') + 1).trim();
}
