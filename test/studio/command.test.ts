/** `zukan studio` as a process: it prints addresses and ends on a signal. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { startStudio } from '../../src/cli/serving/studio.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { testDeep } from '../support/depth.ts';
import { runCommand, start } from '../support/zukan/program.ts';

const { get } = process.getBuiltinModule('node:http');

test('the address works once, Enter prints another, and Ctrl-C ends it', async () => {
  const box = sandbox();
  await box.import([]);
  const { environment, config } = box;
  const child = start(['studio'], environment);
  const ended = once(child, 'close');
  let output = '';
  const addresses = () => output.match(/http:\S+/g) ?? [];
  const waitFor = (count: number) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const address = addresses()[count - 1];
        if (address !== undefined && output.endsWith('\n')) resolve(address);
      };
      child.stdout?.on('data', look);
      child.once('close', () => reject(new Error('the studio ended')));
      look();
    });
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const statusOf = async (address: string) => {
    const [response] = await once(get(address, { agent: false }), 'response');
    response.resume();
    return response.statusCode;
  };
  const first = await waitFor(1);
  assert.match(first, /^http:\/\/127\.0\.0\.1:\d+\/open\?secret=[\w-]{43}$/);
  assert.deepEqual([await statusOf(first), await statusOf(first)], [200, 403]);
  child.stdin?.write('\n');
  const second = await waitFor(2);
  assert.notEqual(second, first);
  assert.equal(await statusOf(second), 200);
  const taken = await runCommand(['studio', '--port', new URL(first).port], { DATA_DIR: config.dataDir });
  assert.equal(taken.status, 1);
  assert.match(taken.errors, /cannot listen on 127\.0\.0\.1:\d+: .*; choose another --port or --host/);
  child.kill('SIGINT');
  assert.deepEqual(await ended, [0, null]);
});

test('warns of the network, unless only this machine can connect', async () => {
  const box = sandbox();
  await box.import([]);
  const hasIpv6 = networkInterfaces().lo?.some(({ address }) => address === '::1');
  for (const host of ['0.0.0.0', hasIpv6 ? '::1' : '127.0.0.2']) {
    const child = start(['studio', '--host', host], box.environment);
    const ended = once(child, 'close');
    let errors = '';
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    // The address is printed after the warning.
    child.stdout?.once('data', () => child.kill('SIGINT'));
    assert.deepEqual(await ended, [0, null]);
    assert.equal(errors.includes('the network can read what you do'), host === '0.0.0.0', host);
  }
});

testDeep(
  'a second studio of the same catalogue takes another port, and the usual one is used again',
  async () => {
    const box = sandbox();
    await box.import([]);
    const start = () => startStudio(box.config, { host: '127.0.0.1', port: undefined });
    const portOf = (studio: Awaited<ReturnType<typeof start>>) => Number(new URL(studio.newAddress()).port);
    let usual: number;
    {
      await using first = await start();
      usual = portOf(first);
      assert.ok(usual >= 0x4000 && usual < 0x8000, String(usual));
      await using second = await start();
      assert.notEqual(portOf(second), usual);
      assert.equal((await fetch(second.newAddress())).status, 200);
    }
    await using again = await start();
    assert.equal(portOf(again), usual);
  },
);
