// A database as providers run it: TLS with an authority of their own, and a password that changes while the server runs.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { test } from 'uvu';
import { makeCertificate, SERVER_AUTH } from '../../certificates.ts';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, temporaryFolder } from '../../server.ts';
import { skipWithout } from '../../system.ts';

const USER = 'managed';
/** A failure is told, and its end, within this time. */
const TOLD_MS = 10_000;

if (!skipWithout('postgresql')) {
  const folder = temporaryFolder();
  const passwords = join(folder, 'pgpass');
  let postgres: Postgres;
  let owner: pg.Client;
  /** Without a password: that is in the file, where each new connection looks for it. */
  let address: URL;

  const setPassword = (password: string) => owner.query(`ALTER ROLE ${USER} PASSWORD '${password}'`);
  const writePassword = (password: string) => writeFileSync(passwords, `127.0.0.1:${address.port}:*:${USER}:${password}\n`, { mode: 0o600 });
  const urlWith = (ca: string) => `${address.href}?sslmode=verify-full&sslrootcert=${encodeURIComponent(join(folder, ca))}`;

  /** Encrypted connections with a password for the user, which must not come without; its files belong to the account of the server. */
  async function demandTls(): Promise<void> {
    const [authority, stranger] = [await makeCertificate('CN=provider'), await makeCertificate('CN=stranger')];
    const made = await makeCertificate('CN=database', { issuer: authority, usage: SERVER_AUTH, names: ['127.0.0.1'] });
    const { rows } = await owner.query<{ data: string; hba: string }>("SELECT current_setting('data_directory') AS data, current_setting('hba_file') AS hba");
    const [{ data, hba } = { data: '', hba: '' }] = rows;
    const tls = join(data, 'tls');
    mkdirSync(tls);
    const { uid, gid } = statSync(data);
    for (const [file, text] of [['cert.pem', made.cert] as const, ['key.pem', made.key] as const]) {
      writeFileSync(join(tls, file), text);
      chmodSync(join(tls, file), 0o600);
      chownSync(join(tls, file), uid, gid);
    }
    chownSync(tls, uid, gid);
    writeFileSync(join(folder, 'provider.pem'), authority.cert);
    writeFileSync(join(folder, 'stranger.pem'), stranger.cert);
    writeFileSync(hba, `hostssl all ${USER} 127.0.0.1/32 scram-sha-256\nhost all gatehouse 127.0.0.1/32 trust\n`);
    for (const [name, value] of Object.entries({ ssl: 'on', ssl_cert_file: 'tls/cert.pem', ssl_key_file: 'tls/key.pem' }))
      await owner.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await owner.query('SELECT pg_reload_conf()');
  }

  test.before(async () => {
    postgres = await startPostgres();
    const url = await postgres.database();
    owner = new pg.Client({ connectionString: url });
    await owner.connect();
    address = new URL(url);
    address.username = USER;
    await owner.query(`CREATE ROLE ${USER} LOGIN; GRANT ALL ON SCHEMA public TO ${USER}`);
    await setPassword('the first');
    writePassword('the first');
    await demandTls();
    process.env['PGPASSFILE'] = passwords;
  });
  test.after(async () => {
    await owner?.end();
    await postgres?.stop();
    rmSync(folder, { recursive: true });
  });

  test('a database whose certificate another authority has issued is not used, nor one without TLS', async () => {
    for (const url of [urlWith('stranger.pem'), address.href]) {
      const failed = await startServer({ config: `[store]\nurl = "${url}"\n` }).then(
        async (server) => void (await server.end()),
        (error: Error) => error,
      );
      assert.ok(failed instanceof Error, url);
    }
    const { rows } = await owner.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    assert.deepEqual(rows, []);
  });

  test('every connection is encrypted; a changed password is told, and used as soon as the file has it', async () => {
    const server = await startServer({ config: `[store]\nurl = "${urlWith('provider.pem')}"\n` });
    const cookie = await signInAdmin(server);
    const status = async () => (await server.ask('GET', '/ready')).status;
    const { rows } = await owner.query(`SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = '${USER}'`);
    assert.deepEqual(rows, [{ ssl: true }]);

    await setPassword('the second');
    // As those of requests end when they are idle. What the server looks with goes on.
    await owner.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${USER}' AND application_name = 'gatehouse'`);
    const told = async () => JSON.stringify((await server.ask('GET', '/ready')).body.not_ready ?? []);
    await until(async () => (await told()).includes('does not let this server in'), '/ready tells it', TOLD_MS);
    const refused = await server.ask('GET', '/whoami', { cookie });
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.text, /does not let this server in/);
    writePassword('the second');
    await until(async () => (await status()) === 200, 'the server goes on', TOLD_MS);
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
    assert.equal((await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } })).status, 200);
    await server.end();
  });
}

test.run();
