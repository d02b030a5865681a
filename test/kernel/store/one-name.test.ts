// Two servers with the name of one node, as after a data folder was copied: nothing fails, the audit log stays one chain, and the log says what to do.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log/log-entry.ts';
import { type AuditRow, auditHash } from '../../../kernel/store/audit.ts';
import { LeaseLink } from '../../../kernel/store/lease-link.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { createVersions } from '../../../kernel/versions.ts';
import { startPostgres } from '../../postgres.ts';
import { until } from '../../runtime.ts';
import { skipWithout } from '../../system.ts';

const CHANGES = 40;

if (!skipWithout('postgresql')) {
  const ends: (() => Promise<unknown>)[] = [];
  test.after(async () => {
    for (const end of ends.reverse()) await end();
  });

  test('both write, one after the other and at the same moment, and both are told', async () => {
    const postgres = await startPostgres();
    ends.push(() => postgres.stop());
    const url = await postgres.database();
    const open = async () => {
      const store = await openStore(url, { writer: 'node/kernel', clock: createClock() });
      ends.push(() => store.close());
      return store;
    };
    const [one, other] = [await open(), await open()];
    await migrate(one, [], () => 1);
    const change = (store: Store, target: string) => store.transaction((tx) => tx.audit({ event: 'test', outcome: 'success', target }));
    for (let at = 0; at < CHANGES; at += 4) {
      await change(one, `${at}`);
      await change(other, `${at + 1}`);
      await Promise.all([change(one, `${at + 2}`), change(other, `${at + 3}`)]);
    }
    const rows = await one.all<AuditRow>(
      'SELECT stream, seq, time, request_id, realm, actor, scheme, source, event, target, outcome, reason, prev FROM audit ORDER BY seq',
    );
    assert.deepEqual(
      rows.map(({ target }) => Number(target)).sort((a, b) => a - b),
      [...Array(CHANGES).keys()],
    );
    for (const [at, row] of rows.entries()) assert.deepEqual([row.seq, row.prev], [at + 1, at === 0 ? '' : auditHash(rows[at - 1] as AuditRow)]);

    const told: string[] = [];
    const log = { warn: ({ error }: { error: unknown }) => void told.push(String(error)) } as unknown as Log;
    for (const origin of ['a', 'b']) {
      const link = new LeaseLink({ url, node: 'node', origin, versions: createVersions(), log });
      ends.push(() => link.close());
    }
    await until(async () => told.some((text) => text.includes('another server has the name of this node')), 'the log names it', 15_000);
  });
}

test.run();
