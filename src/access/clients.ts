/** Who calls: the address of the client, proxies that hide clients, and other sites in somebody's browser. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { BudgetRule, ClientBudget } from './rate.ts';

// The address of the client, by which the rate limit counts, and the origin that it called. Both may be behind trusted proxies.

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
    if (forwardedFor !== undefined && !isIn(proxy, trusted)) return false;
    return isIn(clientAddress(socket.remoteAddress, forwardedFor, trusted), networks);
  };
}

/** Whose a connection is, before its first request. Undefined for that of a trusted proxy, which may be anybody's. */
export function ownerOf(
  { remoteAddress }: Pick<Socket, 'remoteAddress'>,
  trusted: BlockList,
): string | undefined {
  const address = clientAddress(remoteAddress, undefined, trusted);
  return isIn(address, trusted) ? undefined : clientKey(address);
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
  for (let hops = 0; rest !== '' && hops < MAX_HOPS && isIn(address, trusted); hops++) {
    const comma = rest.lastIndexOf(',');
    const next = normaliseAddress(rest.slice(comma + 1).trim());
    // A proxy writes addresses only; anything else came from the client.
    if (next === undefined) break;
    address = next;
    rest = rest.slice(0, Math.max(0, comma));
  }
  return address;
}

function isIn(address: string, networks: BlockList): boolean {
  return isIP(address) !== 0 && networks.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

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
    const isForwarded = hasProxies && isIn(socket.remoteAddress ?? '', trustedProxies);
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

// Notices a proxy that hides its clients, which all share one rate limit then, and are blocked together.

/** How often the log says so. */
export const hiddenClientsRule: BudgetRule = { name: 'hidden', burst: 1, intervalMs: 3_600_000 };

const MINUTE_MS = 60_000;
/** A single client soon sends fewer. */
const MIN_REQUESTS = 20;

/** Clients on the internet have none of these addresses. */
const privateNetworks = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // What `clientKey` makes of ::1.
  ['::', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  privateNetworks.addSubnet(network, bits, familyOf(network));

/**
 * Whether one private address sends most requests of a minute, which a vote finds in constant time and memory: each request is for
 * its own client or against the candidate, whom the next client replaces when nothing is left of its lead. A lead of half of all
 * requests takes more than half of them, and three quarters always reach it.
 */
export class SharedAddressWatch {
  readonly #warnings: ClientBudget;
  readonly #warn: (address: string) => void;
  #startedAt = 0;
  #requests = 0;
  #candidate = '';
  #lead = 0;

  constructor(warnings: ClientBudget, warn: (address: string) => void) {
    this.#warnings = warnings;
    this.#warn = warn;
  }

  /** Counts a request of a client that the rate limit counts. */
  count(client: string, now: number): void {
    if (Math.abs(now - this.#startedAt) >= MINUTE_MS) this.#endMinute(now);
    this.#requests++;
    if (this.#lead === 0) this.#candidate = client;
    this.#lead += client === this.#candidate ? 1 : -1;
  }

  #endMinute(now: number): void {
    const isMost = this.#requests >= MIN_REQUESTS && this.#lead >= this.#requests / 2;
    if (isMost && isPrivate(this.#candidate) && this.#warnings.take(this.#candidate).isAllowed)
      this.#warn(this.#candidate);
    this.#startedAt = now;
    this.#requests = 0;
    this.#lead = 0;
  }
}

/** Takes an address, or a network as `clientKey` writes it. */
const isPrivate = (client: string): boolean => isIn(client.replace(/\/.*/, ''), privateNetworks);

// Recognises requests that another site makes through the browser of somebody who may do more than that site.

const namedHost = /^([\w.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The host of a Host header in lower case, without the port; undefined if it is none. */
export function hostName(host: string): string | undefined {
  return namedHost.exec(host)?.[1]?.toLowerCase();
}

export const isLoopbackName = (name: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(name);

/** No name server can point an IP address elsewhere. */
export const isAddress = (name: string): boolean => isIP(name.replace(/^\[|\]$/g, '')) !== 0;

/** Whether another page caused the request. */
export function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** Returns a function that says whether a client may read what is for `isAllowed` networks, but not for their browsers' pages. */
export function monitorCheck<Request extends { headers: IncomingHttpHeaders }>(
  isAllowed: (request: Request) => boolean,
  publicUrl: string | undefined,
): (request: Request) => boolean {
  const ownName = publicUrl && new URL(publicUrl).hostname;
  return (request) => isAllowed(request) && !mayBeAnotherSite(request.headers, ownName);
}

/**
 * Whether the request may come from a page of another site: directly, or through a name that its owner pointed at this
 * machine (DNS rebinding). Then a browser takes the page for one of ours, but it sends that name as Host. Names that are not
 * known here are refused to browsers only, which always send Accept-Language and let no page remove it: Prometheus
 * may use any name.
 */
function mayBeAnotherSite(headers: IncomingHttpHeaders, ownName: string | undefined): boolean {
  if (isForeign(headers) || headers.origin !== undefined) return true;
  const name = hostName(headers.host ?? '');
  if (name !== undefined && (name === ownName || isLoopbackName(name) || isAddress(name))) return false;
  return headers['accept-language'] !== undefined || headers['sec-fetch-site'] !== undefined;
}
