// `--rotate-kek` moves the data key of the key server to a key on a token, from one token to another and back to the root key; killed in the middle nothing is lost.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { dataKeyRows, pluginKeyIn } from '../../../kernel/keys/data-key-row.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { postgresDatabase } from '../../database.ts';
import { canBuild, faultLibrary } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder, WITHOUT_SELF_TESTS } from '../../server.ts';
import { createSoftHsm } from '../../softhsm.ts';
import { skipWithout } from '../../system.ts';
import { bytes, done, identifier, kmip, makeSecret, PIN, refused } from './hsm-server.ts';

const DATA = Buffer.from('to be kept');
/** Longer than the time between two probes, and shorter than an attempt to unseal may take. */
const STEP_MS = 1_001;
/** Between two such steps, of real time: what an attempt waits for is real, and a clock that runs ahead of it would end each attempt before its answer. */
const PACE_MS = 200;
/** Until a whole server has started and reached its tokens, on a machine that does much else. */
const PATIENCE_MS = 90_000;
const MODULES = ['kernel/start/boot', 'plugins/index'].map((name) => JSON.stringify(new URL(`../../../${name}.ts`, import.meta.url)));
/** A whole server in a process of its own, to be killed. */
const CHILD = `
  const [{ boot }, { BUILT_IN }] = await Promise.all([${MODULES}].map((name) => import(name)));
  await boot({ plugins: BUILT_IN, version: '0', argv: process.argv.slice(1), env: process.env });`;

/** Two tokens, each of an instance of its own: the second one's library can be told to be slow. It has a process, because both are SoftHSM below. */
async function prepare() {
  const hsm = createSoftHsm();
  const library = faultLibrary(hsm.folder, 'second');
  const slots = ['first', 'second'].map((label) => hsm.addToken(label, PIN)) as [number, number];
  const table = (slot: number, more: string) =>
    `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slot}]\nhsm_password = ["${PIN}"]\nhsm_admin = ["_/admin"]\nprobe_seconds = 1\n${more}`;
  const tables = table(slots[0], '') + table(slots[1], `isolation = "process"\nlibrary = "${library.path}"\n`);
  const dataDir = join(temporaryFolder(), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const url = (await postgresDatabase(dataDir)) ?? `sqlite:${join(dataDir, 'gatehouse.db')}`;
  const store = `[store]\nurl = "${url.startsWith('sqlite:') ? 'sqlite:gatehouse.db' : url}"\n`;
  const config = (kek: string, former: readonly string[] = []) =>
    `${store}[keys]\nkey_encryption_key = "${kek}"\nformer_key_encryption_keys = ${JSON.stringify(former)}\n${tables}`;
  const ids = [`hsm::soft_hsm::${slots[0]}::kek`, `hsm::soft_hsm_1::${slots[1]}::kek`] as [string, string];
  return { hsm, library, dataDir, config, url, ids };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

async function wrapped({ url }: Prepared): Promise<Uint8Array> {
  const store = await openStore(url, { writer: 'test', clock: createClock() });
  try {
    return (await dataKeyRows(store)).find(({ purpose }) => purpose === 'keys')?.wrapped as Uint8Array;
  } finally {
    await store.close();
  }
}

const wrapper = async (prepared: Prepared) => pluginKeyIn({ wrapped: await wrapped(prepared) })?.id;

const as = (server: TestServer, cookie: string) => (method: string, path: string, options: object) =>
  server.ask(method as 'POST', path, { cookie, ...options });
const signIn = async (server: TestServer) => (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;

/** A key and what it encrypted under the root key. */
async function sealSomething({ config, dataDir }: Prepared) {
  const server = await startServer({ config: config(''), dataDir });
  const ask = as(server, await signInAdmin(server)) as never;
  const active = { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' };
  await done(makeSecret(ask, 'key', active));
  const sealed = await done(kmip(ask, 'Encrypt', identifier('key'), bytes('Data', DATA)));
  await server.end();
  return ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, sealed[tag] as string));
}

/** Starts the move to a key that does not answer in time, and kills the server in the middle of it. */
async function killInTheMiddle({ config, dataDir, library, ids, hsm }: Prepared): Promise<void> {
  const file = join(hsm.folder, 'killed.toml');
  writeFileSync(file, config(ids[1]));
  library.tell('slow 3000');
  const argv = ['--config', file, '--data-dir', dataDir, '--port', '0', '--rotate-kek'];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', CHILD, '--', ...argv], {
    env: { ...process.env, ...WITHOUT_SELF_TESTS },
    stdio: 'inherit',
  });
  const ended = once(child, 'exit');
  // The session of the login is open, and that of the call.
  await until(() => library.sessions() >= 2 || child.exitCode !== null, 'the second token is in use', PATIENCE_MS);
  assert.equal(child.exitCode, null);
  child.kill('SIGKILL');
  await ended;
  library.tell(undefined);
}

if (!skipWithout('softhsm2') && canBuild()) {
  test('--rotate-kek: root key to a token, killed on the way to another token, there, and back', async () => {
    const prepared = await prepare();
    const { hsm, config, dataDir, ids } = prepared;
    const [first, second] = ids;
    let running: TestServer | undefined;
    const start = async (options: Parameters<typeof startServer>[0]) => {
      running = await startServer(options);
      return running;
    };
    const stop = async () => {
      await running?.end();
      running = undefined;
    };
    test.after(stop);
    const members = await sealSomething(prepared);
    let steppedAt = Number.NEGATIVE_INFINITY;
    const decrypt = async (server: TestServer, cookie: string) => {
      if (performance.now() - steppedAt >= PACE_MS) {
        await server.runtime.advance(STEP_MS);
        steppedAt = performance.now();
      }
      return kmip(as(server, cookie) as never, 'Decrypt', identifier('key'), ...members);
    };
    /** The key server opens its key, at the latest when it has reached the tokens. */
    const opens = async (server: TestServer) => {
      const cookie = await signIn(server);
      await until(async () => (await decrypt(server, cookie)).status === 200, 'the key server is unsealed', PATIENCE_MS);
      assert.equal((await done(decrypt(server, cookie)))['Data'], DATA.toString('hex').toUpperCase());
      return cookie;
    };
    await assert.rejects(startServer({ config: config(first), dataDir }), /is wrapped by the root key; .*, or once with --rotate-kek to move it there/);
    const rotate = { dataDir, argv: ['--rotate-kek'] };
    const given = { dataDir, argv: ['--rotate-kek', '--new-root-key', 'env:NEXT'], env: { NEXT: 'ab'.repeat(32) } };
    await assert.rejects(startServer({ ...given, config: config(first) }), /--new-root-key: key_encryption_key has changed/);

    const moved = await start({ ...rotate, config: config(first) });
    const cookie = await opens(moved);
    assert.equal(await wrapper(prepared), first);
    const { events } = (await moved.ask('GET', '/audit?event=server.rotate_kek', { cookie })).body;
    assert.deepEqual(
      events.map(({ target, reason }: Record<string, string>) => [target, /^replaces the root key [0-9a-f]{16}$/.test(reason as string)]),
      [[first, true]],
    );
    const told = moved.lines.find(({ msg }) => /was rotated/.test(String(msg)))?.['told'];
    assert.match(String(told), new RegExp(`^--rotate-kek: .* is now wrapped by ${first}; keep the root key [0-9a-f]{16} for earlier backups`));
    await stop();

    const before = await wrapped(prepared);
    await killInTheMiddle(prepared);
    assert.deepEqual(await wrapped(prepared), before);
    await assert.rejects(startServer({ config: config(second), dataDir }), /configure that key instead of .*, or start once with --rotate-kek to move it to/);
    const old = await start({ config: config(first), dataDir });
    await opens(old);
    await stop();

    const other = await start({ ...rotate, config: config(second, [first]) });
    const again = await opens(other);
    assert.equal(await wrapper(prepared), second);
    for (const id of ids) await refused(kmip(as(other, again) as never, 'Encrypt', identifier(id), bytes('Data', DATA)), /^Item_Not_Found: object not found/);
    await stop();

    // While no token is there, nobody can open the data key: it is moved once they are back.
    hsm.hide();
    const back = await start({ ...rotate, config: config('', ids) });
    assert.equal((await decrypt(back, await signIn(back))).status, 503);
    assert.equal(await wrapper(prepared), second);
    hsm.show();
    await opens(back);
    assert.equal(await wrapper(prepared), undefined);
    assert.ok(!JSON.stringify(back.lines).includes(PIN));
    await stop();
    hsm.hide();
    const last = await start({ config: config(''), dataDir });
    await opens(last);
    await stop();
    hsm.end();
    rmSync(dataDir, { recursive: true });
  });
  test.run();
}
