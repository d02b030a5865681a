// Whoever writes the database past the server publishes no key in its name: signing keys that it did not write are refused, logged and audited.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { test } from 'uvu';
import { createClock } from '../../kernel/clock.ts';
import { openStore } from '../../kernel/store/open.ts';
import type { SqlValue } from '../../kernel/store/store.ts';
import { people } from '../people.ts';
import { until } from '../runtime.ts';
import { signInAdmin, startServer } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();
const SETS = { session: '/.well-known/jwks.json', certificate: '/.well-known/certificate-jwks.json' } as const;
const PEM = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----';

test.after(async () => {
  for (const database of databases) await database.stop();
});

for (const database of databases) {
  test(`${database.dialect}: a signing key that was inserted, exchanged or repurposed is not published and does not sign`, async () => {
    const url = database.dialect === 'sqlite' ? 'sqlite:gatehouse.db' : await database.url();
    const config = `[store]\nurl = "${url}"\n[auth]\npublish_session_jwks = true\n`;
    const server = await startServer({ config });
    const { dataDir } = server;
    const outside = await openStore(database.dialect === 'sqlite' ? `sqlite:${dataDir}/gatehouse.db` : url, { writer: 'outside', clock: createClock() });
    const write = (sql: string, ...params: SqlValue[]) => outside.transaction(async (tx) => void (await tx.run(sql, params)));
    const published = async (purpose: keyof typeof SETS, on = server) =>
      ((await on.ask('GET', SETS[purpose])).body.keys as JWK[]).map(({ kid, x }) => ({ kid, x }));
    try {
      const they = people(server, await signInAdmin(server));
      const certify = async (on = server) => {
        const answer = await on.ask('POST', '/certify', { cookie: they.root, body: { verification_key: PEM, claims: [] } });
        assert.equal(answer.status, 200, answer.text);
        return JSON.parse(Buffer.from(answer.body.certificate.split('.')[0], 'base64url').toString()).kid as string;
      };
      const [own] = await published('certificate');
      assert.equal(await certify(), own?.kid);
      // A key of the attacker's own, published beside the server's.
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const jwk = publicKey.export({ format: 'jwk' }) as JWK;
      const kid = await calculateJwkThumbprint(jwk);
      const text = JSON.stringify({ ...jwk, kid, alg: 'ES256', use: 'sig' });
      for (const [purpose, name] of [
        ['session', kid],
        ['certificate', `${kid}2`],
      ])
        await write(
          'INSERT INTO signing_key (kid, purpose, public_jwk, wrapped, created_at, signed_until, retired_at) SELECT $1, $2, $3, wrapped, created_at, signed_until, created_at FROM signing_key WHERE kid = $4',
          name as string,
          purpose as string,
          text,
          own?.kid as string,
        );
      assert.deepEqual(await published('certificate'), [own]);
      assert.ok(!(await published('session')).some((key) => key.kid === kid));
      await until(
        async () => (await outside.all("SELECT 1 FROM audit WHERE event = 'signing_key.forged' AND target = $1", [kid])).length === 1,
        'it is audited',
      );
      assert.ok(server.lines.some((line) => line['level'] === 'error' && line['row'] === kid));
      // The server's own key with another public half, then with another purpose.
      await write('UPDATE signing_key SET public_jwk = $2 WHERE kid = $1', own?.kid as string, text.replace(kid, own?.kid as string));
      assert.deepEqual(await published('certificate'), []);
      await write("UPDATE signing_key SET purpose = 'certificate' WHERE purpose = 'session'");
      assert.deepEqual(await published('certificate'), []);
      await server.stop();
      const again = await startServer({ config, dataDir });
      try {
        // Keys of its own have taken their place.
        const [fresh, ...more] = await published('certificate', again);
        assert.deepEqual(more, []);
        assert.ok(fresh && fresh.kid !== own?.kid && fresh.x !== jwk.x);
        assert.equal(await certify(again), fresh.kid);
      } finally {
        await again.end();
      }
    } finally {
      await outside.close();
      await server.end();
    }
  });
}

test.run();
