/** Rows arrive by COPY as they were sent, and a COPY that fails says why. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { copyRows } from '../../../../src/store/drivers/postgres/session.ts';
import { findPostgres, installPostgres, unless } from '../../../support/servers/needs.ts';
import { openSession, psql, sharedPostgres } from '../../../support/servers/postgres.ts';

const skip = unless(findPostgres(), 'PostgreSQL', installPostgres);

async function connect() {
  const url = (await sharedPostgres()).newDatabase();
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  await client.query('create table item (number int primary key, text text, numbers int[])');
  return { client, url, [Symbol.asyncDispose]: () => client.end() };
}

test('copies values with characters that mean something to COPY, in more than one packet', {
  skip,
}, async () => {
  await using connected = await connect();
  const { client } = connected;
  const texts = ['', '\\', '\\N', '\\.', 'a\tb\nc\rd', '絵師', '\\\\t', 'x'.repeat(1_000_000)];
  await copyRows(
    client,
    'item (number, text, numbers)',
    texts.map((text, number) => [number, text, [number, 7]]),
  );
  const { rows } = await client.query('select number, text, numbers from item order by number');
  assert.deepEqual(
    rows,
    texts.map((text, number) => ({ number, text, numbers: [number, 7] })),
  );
});

test('fails with the error of the server, and the connection still works', { skip }, async () => {
  await using connected = await connect();
  const { client } = connected;
  await assert.rejects(copyRows(client, 'nothing (number)', [[1]]), /relation "nothing" does not exist/);
  await assert.rejects(copyRows(client, 'item (number)', [[1], [1]]), /duplicate key/);
  const { rows } = await client.query('select count(*)::int as count from item');
  assert.deepEqual(rows, [{ count: 0 }]);
});

test('fails if the connection is lost, also for what is copied afterwards', { skip }, async () => {
  await using connected = await connect();
  const { client, url } = connected;
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const lock = await openSession(url, 'begin; lock table item');
  const copying = copyRows(client, 'item (number)', [[1]]);
  psql(url, `select pg_terminate_backend(${rows[0].pid})`);
  await assert.rejects(copying, /terminating connection/);
  await lock.close();
  await assert.rejects(copyRows(client, 'item (number)', [[1]]), /terminated|not queryable/);
});
