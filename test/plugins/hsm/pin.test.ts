// Where the PIN of a token can be found while it is used: in the process of its instance, and nowhere else of the server.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { exitOf, serverPid, start } from '../../e2e/started.ts';
import { firstSteps, PASSWORD } from '../../packages/story.ts';
import { until } from '../../runtime.ts';
import { type Ask, temporaryFolder } from '../../server.ts';
import { createSoftHsm } from '../../softhsm.ts';
import { skipWithout } from '../../system.ts';
import { makeSecret } from './hsm-server.ts';

const PIECE = 16 * 1024 * 1024;

/** Whether a text is in the memory of a process, as bytes or as V8 keeps longer alphabets: what its core dump would have. */
function isInMemory(pid: number, text: string): boolean {
  const sought = [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')];
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const piece = Buffer.alloc(PIECE);
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line) ?? [];
      if (from === undefined || /\[v(var|syscall|var_vclock)\]/.test(line)) continue;
      for (let at = Number.parseInt(from, 16), end = Number.parseInt(to as string, 16); at < end; at += PIECE - 128) {
        const read = readAt(memory, piece, at, Math.min(PIECE, end - at));
        if (sought.some((bytes) => piece.subarray(0, read).includes(bytes))) return true;
      }
    }
    return false;
  } finally {
    closeSync(memory);
  }
}

/** @returns the bytes read; 0 for pages that have gone meanwhile */
function readAt(memory: number, piece: Buffer, at: number, length: number): number {
  try {
    return readSync(memory, piece, 0, length, at);
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number));
}

async function stays(): Promise<void> {
  const pin = randomBytes(12).toString('hex');
  const hsm = createSoftHsm();
  const folder = temporaryFolder();
  const slot = hsm.addToken('pin', pin);
  writeFileSync(join(folder, 'pin'), `${pin}\n`, { mode: 0o600 });
  const instance = `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_admin = ["_/admin"]\nhsm_slot = [${slot}]\nhsm_password = [{ file = "pin" }]\nisolation = "process"\n`;
  writeFileSync(join(folder, 'config.toml'), `[log]\nlevel = "debug"\n${instance}`);
  const server = await start(join(folder, 'data'), ['--config', join(folder, 'config.toml')], { SOFTHSM2_CONF: join(hsm.folder, 'softhsm2.conf') });
  try {
    await firstSteps(server.ask, readFileSync(join(folder, 'data', 'initial-password'), 'utf8').trim());
    const { cookie } = await server.ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` });
    const asAdmin: Ask = (method, path, options) => server.ask(method, path, { cookie, ...options });
    const status = async () => (await asAdmin('GET', '/hsm/status')).body as { slots: { accessible: boolean }[] }[];
    await until(async () => (await status())[0]?.slots[0]?.accessible === true, 'the token is logged in');
    const made = await makeSecret(asAdmin, `hsm::soft_hsm::${slot}::of-the-pin`);
    assert.equal(made.status, 200, made.text);

    // Before the memory is searched: that takes so long on a slow machine that the server closes the connection meanwhile, and this thread has not heard of it.
    for (const path of ['/metrics', '/audit?limit=1000', '/hsm/status', '/server-info']) assert.ok(!(await asAdmin('GET', path)).text.includes(pin), path);
    const main = serverPid(server);
    const processes = childrenOf(main);
    assert.ok(processes.length > 0);
    assert.ok(isInMemory(main, 'of-the-pin'), 'the search finds what is there');
    assert.ok(!isInMemory(main, pin), 'the memory of the server');
    for (const pid of [main, ...processes])
      for (const file of ['environ', 'cmdline']) assert.ok(!readFileSync(`/proc/${pid}/${file}`).includes(pin), `${file} of ${pid}`);
    assert.ok(!server.output.text.includes(pin), 'the log');
  } finally {
    server.child.kill('SIGTERM');
    assert.equal(await exitOf(server.child), 0, server.output.text);
    hsm.end();
    rmSync(folder, { recursive: true });
  }
}

if (!existsSync('/proc/self/mem')) console.log('skipped: pin.test.ts needs /proc');
else if (!skipWithout('softhsm2')) {
  test('a PIN in a file is in no memory of the server, no environment, no command line, no log, no answer', stays);
  test.run();
}
