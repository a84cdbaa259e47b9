/** The address of the client, by which the rate limit counts, and the origin that it called. Both may be behind trusted proxies. */
import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, type Socket } from 'node:net';

/** Returns a function that names the client of a request. The result for a direct connection is cached. */
export function clientReader(trusted: BlockList) {
  const clients = new WeakMap<Socket, string>();
  return ({ socket, headers }: { socket: Socket; headers: NodeJS.Dict<string | string[]> }): string => {
    const forwardedFor = headers['x-forwarded-for'];
    const isDirect = forwardedFor === undefined || trusted.rules.length === 0;
    const cached = isDirect ? clients.get(socket) : undefined;
    if (cached !== undefined) return cached;
    const client = clientKey(clientAddress(socket.remoteAddress, forwardedFor, trusted));
    if (isDirect) clients.set(socket, client);
    return client;
  };
}

/** Returns a function that says whether a request comes from one of the networks. */
export function networkCheck(networks: BlockList, trusted: BlockList) {
  if (networks.rules.length === 0) return () => false;
  return ({ socket, headers }: { socket: Socket; headers: NodeJS.Dict<string | string[]> }): boolean => {
    const forwardedFor = headers['x-forwarded-for'];
    const proxy = clientAddress(socket.remoteAddress, undefined, trusted);
    // A proxy that is not trusted hides the client, and its own address says nothing: it usually runs on this machine.
    if (forwardedFor !== undefined && !isTrusted(proxy, trusted)) return false;
    return isTrusted(clientAddress(socket.remoteAddress, forwardedFor, trusted), networks);
  };
}

/** Whose a connection is, before its first request. Undefined for that of a trusted proxy, which may be anybody's. */
export function ownerOf(
  { remoteAddress }: Pick<Socket, 'remoteAddress'>,
  trusted: BlockList,
): string | undefined {
  const address = clientAddress(remoteAddress, undefined, trusted);
  return isTrusted(address, trusted) ? undefined : clientKey(address);
}

/** More proxies than any request passes. */
const MAX_HOPS = 50;

/** Reads `X-Forwarded-For` from the right, up to the first address that is not a trusted proxy. */
export function clientAddress(
  remote: string | undefined,
  forwardedFor: string | string[] | undefined,
  trusted: BlockList,
): string {
  let address = normaliseAddress(remote ?? '') ?? 'unknown';
  // Not split: the client can send thousands of addresses, of which only the last few matter.
  let rest = [forwardedFor ?? []].flat().join(',');
  for (let hops = 0; rest !== '' && hops < MAX_HOPS && isTrusted(address, trusted); hops++) {
    const comma = rest.lastIndexOf(',');
    const next = normaliseAddress(rest.slice(comma + 1).trim());
    // A proxy writes addresses only; anything else came from the client.
    if (next === undefined) break;
    address = next;
    rest = rest.slice(0, Math.max(0, comma));
  }
  return address;
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const family = isIP(address);
  return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** An IPv4 address, or the /64 network of an IPv6 address: one customer usually has a whole /64. */
export function clientKey(address: string): string {
  return isIP(address) === 6 ? `${expandIPv6(address).slice(0, 4).join(':')}::/64` : address;
}

/** Removes port, brackets and zone, and turns an IPv4-mapped IPv6 address into IPv4. */
function normaliseAddress(text: string): string | undefined {
  const bare = /^\[([^\]]*)\](:\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.split('%', 1)[0] as string;
  if (isIP(address) === 0) return undefined;
  if (isIP(address) === 4) return address;
  const groups = expandIPv6(address);
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,ffff';
  if (!isMapped) return address.toLowerCase();
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}

/** The eight groups of an IPv6 address, without leading zeros. */
function expandIPv6(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const parseGroups = (part: string) =>
    part
      .split(':')
      .filter(Boolean)
      .flatMap((group) =>
        group.includes('.') ? dottedGroups(group) : Number.parseInt(group, 16).toString(16),
      );
  const [before, after] = [parseGroups(head), parseGroups(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after];
}

function dottedGroups(dotted: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

/** Any other character could inject text into our JSON. No name is longer, and checking one of 16 KB takes long. */
const hostSyntax = /^([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$/;

/** Returns a function that gives the origin that links start with: the configured one, or the one that the client called. */
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
