// A commit whose answer is lost on PostgreSQL: the caller is told that nobody knows, what follows is written all the same, and the audit log has no gap.
import assert from 'node:assert/strict';
import pg from 'pg';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { type AuditRow, auditHash } from '../../../kernel/store/audit.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { openWire, type Wire } from '../../../soak/wire.ts';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { until } from '../../runtime.ts';
import { skipWithout } from '../../system.ts';

if (!skipWithout('postgresql')) {
  let postgres: Postgres;
  let wire: Wire;
  let store: Store;
  /** Past the wire. */
  let direct: Store;
  const clock = createClock();
  const rows = () => direct.all<AuditRow>("SELECT * FROM audit WHERE stream = 'w' ORDER BY seq");
  const write = (target: string, during = () => {}) =>
    store.transaction(async (tx) => {
      await tx.audit({ event: 'test', outcome: 'success', target });
      during();
    });

  test.before(async () => {
    postgres = await startPostgres();
    const url = await postgres.database();
    direct = await openStore(url, { writer: 'direct', clock });
    await migrate(direct, [], () => clock.now());
    wire = await openWire(url);
    store = await openStore(wire.url, { writer: 'w', clock });
  });
  test.after(async () => {
    wire?.heal();
    await store?.close();
    await direct?.close();
    await wire?.close();
    await postgres?.stop();
  });

  const cut = () => {
    wire.fromDatabase.isCut = true;
  };
  const hangUp = () => {
    wire.hangUp();
    wire.heal();
  };

  test('it has happened: the next writes go on after it', async () => {
    await write('first');
    const lost = write('lost', cut).then(
      () => 'answered',
      ({ code }: { code: string }) => code,
    );
    await until(async () => (await rows()).length === 2, 'the commit has arrived');
    hangUp();
    assert.equal(await lost, 'ACTOR_LOST');
    for (const target of ['second', 'third']) await write(target);
    const all = await rows();
    assert.deepEqual(
      all.map(({ target }) => target),
      ['first', 'lost', 'second', 'third'],
    );
    for (const [at, row] of all.entries()) assert.equal(row.prev, at === 0 ? '' : auditHash(all[at - 1] as AuditRow));
  });

  test('it has not happened: the next write takes its place', async () => {
    const before = (await rows()).length;
    const refused = write('never', hangUp).then(
      () => 'answered',
      ({ code }: { code: string }) => code,
    );
    assert.match(await refused, /^(ACTOR_LOST|UNAVAILABLE)$/);
    await write('fourth');
    const all = await rows();
    assert.deepEqual([all.length, all.at(-1)?.target], [before + 1, 'fourth']);
  });

  test('a commit whose wait for its standby somebody ends is not answered as one', async () => {
    const client = new pg.Client({ connectionString: await postgres.database() });
    // The server may stop and close the connection first.
    client.on('error', () => {});
    await client.connect();
    const waitFor = async (standby: string) => {
      await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
      await client.query('SELECT pg_reload_conf()');
      await until(async () => (await client.query('SHOW synchronous_standby_names')).rows[0].synchronous_standby_names === standby, 'it is set');
    };
    await waitFor('nobody');
    const before = (await rows()).length;
    const unsure = write('unsure').then(
      () => 'answered',
      ({ code }: { code: string }) => code,
    );
    const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'gatehouse'";
    await until(async () => (await client.query(cancel)).rows.length > 0, 'the commit waits');
    const told = await unsure;
    await waitFor('');
    await client.end();
    assert.equal(told, 'ACTOR_LOST');
    await write('fifth');
    const all = await rows();
    assert.deepEqual([all.length, all.at(-1)?.target], [before + 2, 'fifth']);
    assert.equal(all.at(-1)?.prev, auditHash(all.at(-2) as AuditRow));
  });
}

test.run();
