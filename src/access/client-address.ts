/** Who calls: the address that the rate limit counts by. */
import { type BlockList, isIP, type Socket } from 'node:net';

/** Tells whom the limit counts a request to. What depends on the connection alone is worked out once for each. */
export function clientReader(trusted: BlockList) {
  const known = new WeakMap<Socket, string>();
  return ({ socket, headers }: { socket: Socket; headers: NodeJS.Dict<string | string[]> }): string => {
    const forwardedFor = headers['x-forwarded-for'];
    const isDirect = forwardedFor === undefined || trusted.rules.length === 0;
    const before = isDirect ? known.get(socket) : undefined;
    if (before !== undefined) return before;
    const client = clientKey(clientAddress(socket.remoteAddress, forwardedFor, trusted));
    if (isDirect) known.set(socket, client);
    return client;
  };
}

/**
 * The address of a client. `X-Forwarded-For` is believed as far as trusted proxies wrote it: from the right, up to the
 * first address that is not one of theirs.
 */
export function clientAddress(
  remote: string | undefined,
  forwardedFor: string | string[] | undefined,
  trusted: BlockList,
): string {
  let address = plainAddress(remote ?? '') ?? 'unknown';
  const hops = [forwardedFor ?? []].flat().join(',').split(',').reverse();
  for (const hop of hops) {
    if (!isTrusted(address, trusted)) break;
    const next = plainAddress(hop.trim());
    // What is no address was not written by a proxy of ours.
    if (next === undefined) break;
    address = next;
  }
  return address;
}

export function isTrusted(address: string, trusted: BlockList): boolean {
  const family = isIP(address);
  return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** What the limit counts by: an IPv4 address, or the /64 network of an IPv6 address, which is what one customer has. */
export function clientKey(address: string): string {
  return isIP(address) === 6 ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address;
}

/** Without port, brackets and zone; an IPv4 address in IPv6 form as the IPv4 address that it is. */
function plainAddress(text: string): string | undefined {
  const bare = /^\[([^\]]*)\](:\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.split('%', 1)[0] as string;
  if (isIP(address) === 0) return undefined;
  if (isIP(address) === 4) return address;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,ffff';
  if (!isMapped) return address.toLowerCase();
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}

/** The eight groups of an IPv6 address, without zeros in front. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const read = (part: string) =>
    part
      .split(':')
      .filter(Boolean)
      .flatMap((group) =>
        group.includes('.') ? dottedGroups(group) : Number.parseInt(group, 16).toString(16),
      );
  const [before, after] = [read(head), read(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after];
}

function dottedGroups(dotted: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}
