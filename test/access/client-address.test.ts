/** The client address behind trusted proxies, and the key that the rate limit counts by. */
import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, test } from 'node:test';
import { clientAddress, clientKey } from '../../src/access/clients.ts';

const none = new BlockList();
const proxies = new BlockList();
proxies.addSubnet('10.0.0.0', 8, 'ipv4');
proxies.addAddress('2001:db8::1', 'ipv6');

const cases: [string, string | undefined, string | string[] | undefined, BlockList, string][] = [
  ['without trusted proxies', '10.0.0.1', '203.0.113.9', none, '10.0.0.1'],
  ['a caller that is not a proxy', '198.51.100.1', '203.0.113.9', proxies, '198.51.100.1'],
  ['one proxy', '10.0.0.1', '203.0.113.9', proxies, '203.0.113.9'],
  ['an address that the client made up', '10.0.0.1', '1.1.1.1, 203.0.113.9', proxies, '203.0.113.9'],
  ['two proxies', '10.0.0.1', '1.1.1.1, 203.0.113.9, 10.0.0.2', proxies, '203.0.113.9'],
  ['two headers', '10.0.0.1', ['1.1.1.1, 203.0.113.9', '10.0.0.2'], proxies, '203.0.113.9'],
  ['only proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', proxies, '10.0.0.3'],
  ['more hops than a request passes', '10.0.0.1', `1.1.1.1${', 10.0.0.2'.repeat(60)}`, proxies, '10.0.0.2'],
  ['thousands of empty hops', '10.0.0.1', `${','.repeat(9000)}203.0.113.9`, proxies, '203.0.113.9'],
  ['without the header', '10.0.0.1', undefined, proxies, '10.0.0.1'],
  ['an empty header', '10.0.0.1', '', proxies, '10.0.0.1'],
  ['garbage in the header', '10.0.0.1', '203.0.113.9, nonsense', proxies, '10.0.0.1'],
  ['with a port', '10.0.0.1', '203.0.113.9:4711', proxies, '203.0.113.9'],
  ['IPv6 with a port', '10.0.0.1', '[2001:DB8::9]:4711', proxies, '2001:db8::9'],
  ['IPv4-mapped IPv6', '::ffff:10.0.0.1', '::ffff:203.0.113.9', proxies, '203.0.113.9'],
  ['an IPv6 proxy', '2001:db8::1', '203.0.113.9', proxies, '203.0.113.9'],
  ['IPv4-mapped IPv6 in hexadecimal', '::ffff:cb00:7109', undefined, none, '203.0.113.9'],
  ['with a zone', 'fe80::1%eth0', undefined, none, 'fe80::1'],
  ['a closed connection', undefined, '203.0.113.9', proxies, 'unknown'],
];
describe('finds the client address', () => {
  for (const [what, remote, forwardedFor, trusted, expected] of cases)
    test(what, () => assert.equal(clientAddress(remote, forwardedFor, trusted), expected));
});

const keys: [string, string][] = [
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
  ['unknown', 'unknown'],
];
describe('the rate limit counts', () => {
  for (const [address, expected] of keys)
    test(`${address} as ${expected}`, () => assert.equal(clientKey(address), expected));
});
