// Tickets of Login that have ended are deleted once an hour, also those of callers who never log in again.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { openStore } from '../../../kernel/store/open.ts';
import { startNodes } from '../../nodes.ts';
import { signInAdmin } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const HOUR_MS = 3_600_000;
const databases = await testDatabases();

for (const database of databases)
  test(`${database.dialect}: after an hour those without an end, and with a later one, are left`, async () => {
    const nodes = await startNodes(database);
    const cookie = await signInAdmin(nodes.one);
    const login = async (...members: object[]) => {
      const answer = await nodes.one.ask('POST', '/kmip/2_1', { cookie, body: { tag: 'Login', type: 'Structure', value: members } });
      assert.equal(answer.status, 200, answer.text);
    };
    const lease = (seconds: number) => ({ tag: 'LeaseTime', type: 'Interval', value: seconds });
    await login(lease(60));
    await login(lease(2 * 3_600));
    await login();
    const store = await openStore(nodes.storeUrl, { writer: 'test', clock: nodes.one.clock });
    const left = async () => (await store.all('SELECT hash FROM kms_ticket')).length;
    assert.equal(await left(), 3);
    await nodes.advance(HOUR_MS);
    assert.equal(await left(), 2);
    await store.close();
    await nodes.end();
  });

test.after(() => Promise.all(databases.map((database) => database.stop())).then(() => {}));

test.run();
