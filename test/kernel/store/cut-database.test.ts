// A database whose connections hang or are cut all the time: whoever asks meanwhile is told to come back, and no answer is an internal error.
import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import pg from 'pg';
import { test } from 'uvu';
import { openWire, type Wire } from '../../../soak/wire.ts';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { until } from '../../runtime.ts';
import { type Answer, signInAdmin, startServer, type TestServer } from '../../server.ts';
import { skipWithout } from '../../system.ts';

/** More than a thread has connections for reads. */
const READS = 12;
/** Longer than a read waits for a connection of the pool. */
const POOL_WAIT_MS = 6_000;
/** Where the machine is busy, connections are slow to open, and there is nothing to cut. */
const CUTTING_MS = 120_000;
const CUTS = 40;
const WRITERS = 6;

if (!skipWithout('postgresql')) {
  let postgres: Postgres;
  let wire: Wire;
  let server: TestServer;
  let url: string;
  let cookie: string;
  const make = () => server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } });
  const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status, text }) => (status === 500 ? text : status)))];
  const works = () => until(async () => (await server.ask('GET', '/ready')).status === 200 && (await make()).status === 200, 'it works again', 20_000);

  test.before(async () => {
    postgres = await startPostgres();
    url = await postgres.database();
    wire = await openWire(url);
    // Nothing is cached, so every request reads.
    server = await startServer({ config: `[store]\nurl = "${wire.url}"\ncache = false\n` });
    cookie = await signInAdmin(server);
  });
  test.after(async () => {
    wire?.heal();
    await server?.end();
    await wire?.close();
    await postgres?.stop();
  });

  test('more reads than connections, and nothing passes from the database', async () => {
    wire.fromDatabase.isCut = true;
    const asked = Promise.all(Array.from({ length: READS }, () => server.ask('GET', '/whoami', { cookie })));
    await after(POOL_WAIT_MS);
    wire.heal();
    const statuses = statusesOf(await asked);
    assert.ok(statuses.includes(503), String(statuses));
    assert.deepEqual(
      statuses.filter((status) => status !== 200 && status !== 503 && status !== 504),
      [],
    );
    await works();
  });

  test('connections that are lost without a word are noticed, and the database lets go what they held', async () => {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const backends = async () =>
      (await admin.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'gatehouse'")).rows.map(({ pid }) => pid as number);
    const before = await backends();
    wire.forget();
    const answers = await Promise.all([make(), ...Array.from({ length: READS }, () => server.ask('GET', '/whoami', { cookie }))]);
    assert.deepEqual(
      statusesOf(answers).filter((status) => status !== 200 && status !== 503 && status !== 504),
      [],
    );
    const works = async () => (await make()).status === 200 && (await server.ask('GET', '/whoami', { cookie })).status === 200;
    await until(works, 'it works again', 120_000);
    const left = new Set(await backends());
    await admin.end();
    assert.ok(
      before.some((pid) => !left.has(pid)),
      'the database holds all that was lost',
    );
  });

  test('connections that are cut at any moment, also while they are opened', async () => {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    let [cut, refused] = [0, 0];
    const until = performance.now() + CUTTING_MS;
    const isOver = () => performance.now() > until || (cut > CUTS && refused > 0);
    const cutting = async () => {
      while (!isOver()) {
        cut += (await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gatehouse'")).rows.length;
        await after(Math.random() * 12);
      }
    };
    const writing = async () => {
      const answers: Answer[] = [];
      while (!isOver()) {
        answers.push(await make());
        if (answers.at(-1)?.status === 503) refused += 1;
      }
      return answers;
    };
    const [answers] = await Promise.all([Promise.all(Array.from({ length: WRITERS }, writing)), cutting()]);
    await admin.end();
    const statuses = statusesOf(answers.flat());
    assert.ok(cut > CUTS && refused > 0, `${cut} were cut: ${statuses}`);
    assert.deepEqual(
      statuses.filter((status) => status !== 200 && status !== 503),
      [],
    );
    await works();
    // A connection that is cut while nobody asks anything on it ends no thread.
    assert.doesNotMatch((await server.ask('GET', '/metrics')).text, /^gatehouse_actor_restarts_total\{[^}]*\} [1-9]/m);
  });
}

test.run();
