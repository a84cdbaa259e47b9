/** Notices a proxy that hides its clients, which all share one rate limit then, and are blocked together. */
import { BlockList, isIP } from 'node:net';
import type { BudgetRule, ClientBudget } from './limiter.ts';

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
] as const)
  privateNetworks.addSubnet(network, bits, 'ipv4');
// What `clientKey` makes of ::1.
privateNetworks.addAddress('::', 'ipv6');
for (const [network, bits] of [
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  privateNetworks.addSubnet(network, bits, 'ipv6');

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
function isPrivate(client: string): boolean {
  const [address = ''] = client.split('/');
  return privateNetworks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
