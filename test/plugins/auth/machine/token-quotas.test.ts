// The quota of the app tokens of a role, which holds where that of one identity is not set.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { testDatabases } from '../../../stores.ts';
import { startMachine } from './setup.ts';

for (const database of await testDatabases()) {
  test(`${database.dialect}: tokens_per_role limits the tokens of each role alone, and a revoked token makes room`, async () => {
    const { server, own, post, makeRole, logIn } = await startMachine(database, { config: '[auth.quotas]\ntokens_per_identity = 0\ntokens_per_role = 2\n' });
    const role_id = await makeRole('one', { bind_secret_id: false });
    const tokens = [await logIn(role_id), await logIn(role_id)];
    const { status, body } = await post('/approle/login', { role_id });
    assert.deepEqual([status, body.code], [429, 'AUTH_QUOTA_EXCEEDED']);
    assert.match(body.message, /\[auth\.quotas\] tokens_per_role: no more than 2/);
    await logIn(await makeRole('other', { bind_secret_id: false }));
    assert.equal((await own('POST', 'revoke', tokens[0])).status, 204);
    await logIn(role_id);
    await server.end();
    await database.stop();
  });
}

test.run();
