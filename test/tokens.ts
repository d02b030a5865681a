// Tokens of real PKCS#11 libraries from Debian's packages, new for each test: SoftHSM, openCryptoki's software token, NSS and a TPM 2.0.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from './server.ts';
import { createSoftHsm } from './softhsm.ts';
import { NSS_LIBRARY, OPENCRYPTOKI_LIBRARY, SOFTHSM_LIBRARY, TPM2_LIBRARY } from './system.ts';

export interface TestToken {
  readonly library: string;
  readonly slot: number;
  readonly pin: string;
  /** Variables that the library reads; they are set in this process too. */
  readonly env: Readonly<Record<string, string>>;
  readonly initializeText?: string;
  end(): Promise<void> | void;
}

/** openCryptoki takes 4 to 8 characters, but not 12345678. */
const PIN = '24681357';
const LABEL = 'gatehouse test';

export function softHsmToken(): TestToken {
  const hsm = createSoftHsm();
  const slot = hsm.addToken('suite', PIN);
  return { library: SOFTHSM_LIBRARY, slot, pin: PIN, env: { SOFTHSM2_CONF: process.env['SOFTHSM2_CONF'] as string }, end: () => hsm.end() };
}

/** A machine has one such token: it is used only if it has never been initialised, or if a test has done that. */
export async function openCryptokiToken(): Promise<TestToken | undefined> {
  mkdirSync('/var/lock/opencryptoki/swtok', { recursive: true });
  const mine = !isDaemonThere();
  const slot = await retried(() => {
    // It forks before it serves; one that was just stopped ends a moment later.
    if (!isDaemonThere()) execFileSync('/usr/sbin/pkcsslotd', { stdio: 'ignore' });
    return initialised(OPENCRYPTOKI_LIBRARY, ['87654321', '76543210'], ['IBM OS PKCS#11', LABEL]);
  });
  const end = () => {
    if (mine) process.kill(Number(readFileSync('/var/run/pkcsslotd.pid', 'utf8')));
  };
  if (slot !== undefined) return { library: OPENCRYPTOKI_LIBRARY, slot, pin: PIN, env: {}, end };
  end();
  console.log('skipped: the software token of openCryptoki on this machine belongs to somebody else');
  return undefined;
}

const isDaemonThere = () => globSync('/proc/[0-9]*/comm').some((file) => nameIn(file) === 'pkcsslotd');

/** What serves the token may have just begun. */
async function retried<T>(work: () => T): Promise<T> {
  for (let attempt = 0; ; attempt++)
    try {
      return work();
    } catch (error) {
      if (attempt === 30) throw error;
      await new Promise((again) => setTimeout(again, 100));
    }
}

/** A process may end while it is read. */
function nameIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

export function nssToken(): TestToken {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'pin'), PIN);
  execFileSync('certutil', ['-N', '-d', `sql:${folder}`, '-f', join(folder, 'pin')]);
  const initializeText = `configdir='sql:${folder}' certPrefix='' keyPrefix='' secmod='secmod.db' flags=`;
  // Slot 1 is without keys, and has the same serial number.
  return {
    library: NSS_LIBRARY,
    slot: 2,
    pin: PIN,
    env: { NSS_CONFIG_DIR: folder },
    initializeText,
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A TPM in software behind a resource manager, without which it has room for three keys. It has no token yet. Sets the variables of this process too. */
export async function startTpm(): Promise<Pick<TestToken, 'env' | 'end'>> {
  const folder = temporaryFolder();
  for (const name of ['state', 'store']) mkdirSync(join(folder, name));
  const port = await freePorts();
  const address = (at: number) => `type=tcp,bindaddr=127.0.0.1,port=${at}`;
  const where = ['--tpmstate', `dir=${join(folder, 'state')}`, '--server', address(port), '--ctrl', address(port + 1)];
  const tpm = spawn('swtpm', ['socket', '--tpm2', ...where, '--flags', 'not-need-init,startup-clear'], { stdio: 'ignore' });
  const bus = `unix:path=${join(folder, 'bus')}`;
  const dbus = spawn('dbus-daemon', ['--session', '--nofork', `--address=${bus}`], { stdio: 'ignore' });
  const env = {
    ...{ DBUS_SESSION_BUS_ADDRESS: bus, TPM2_PKCS11_STORE: join(folder, 'store'), TPM2_PKCS11_TCTI: 'tabrmd:bus_type=session' },
    // The tools of the package read the last one.
    ...{ TPM2_PKCS11_BACKEND: 'esysdb', TSS2_LOG: 'all+NONE', TPM2TOOLS_TCTI: 'tabrmd:bus_type=session' },
  };
  Object.assign(process.env, env);
  await retried(() => statSync(join(folder, 'bus')));
  const manager = spawn('tpm2-abrmd', ['--session', '--allow-root', `--tcti=swtpm:host=127.0.0.1,port=${port}`], { stdio: 'ignore' });
  const end = async () => {
    for (const child of [manager, dbus, tpm]) {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return { env, end };
}

/** A token of tpm2-pkcs11 in such a TPM. */
export async function tpmToken(): Promise<TestToken> {
  const tpm = await startTpm();
  const slot = await retried(() => initialised(TPM2_LIBRARY, ['so-pin-1', 'so-pin-1'], ['']));
  if (slot === undefined) throw new Error('the TPM has no free slot');
  return { library: TPM2_LIBRARY, slot, pin: PIN, ...tpm };
}

/** Two neighbours that are free now. */
async function freePorts(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const next = createServer().listen(port + 1, '127.0.0.1');
    const isFree = await once(next, 'listening').then(
      () => true,
      () => false,
    );
    for (const each of [server, next]) each.close();
    if (isFree && port < 65_000) return port;
  }
}

/** Makes the first token whose label is one of these a new one, with the PIN; one of an earlier test loses its keys. @param pins of the security officer: at first, and then @returns its slot ID */
function initialised(library: string, pins: readonly [string, string], labels: readonly string[]): number | undefined {
  const found = execFileSync(process.execPath, ['-e', INITIALISE, library, PIN, LABEL, JSON.stringify({ pins, labels })], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return JSON.parse(found) ?? undefined;
}

/** In a process of its own, because some libraries see a new token only after a restart. CKU_SO is 0, CKU_USER 1. */
const INITIALISE = `
  const { PKCS11 } = require('pkcs11js');
  const [library, pin, label, rest] = process.argv.slice(1);
  const { pins: [first, then], labels } = JSON.parse(rest);
  const p = new PKCS11();
  p.load(library);
  p.C_Initialize({ flags: 2 });
  const labelOf = (slot) => p.C_GetTokenInfo(slot).label.replaceAll('\\0', '').trim();
  const slot = p.C_GetSlotList(true).find((each) => labels.includes(labelOf(each)));
  const as = (who, secret, work) => {
    const s = p.C_OpenSession(slot, 6);
    p.C_Login(s, who, secret);
    work(s);
    p.C_Logout(s);
    p.C_CloseSession(s);
  };
  const clear = (s) => {
    p.C_FindObjectsInit(s, []);
    const found = p.C_FindObjects(s, 1000);
    p.C_FindObjectsFinal(s);
    for (const object of found) p.C_DestroyObject(s, object);
  };
  if (slot && labelOf(slot) === label) as(1, pin, clear);
  else if (slot) {
    p.C_InitToken(slot, first, label.padEnd(32));
    as(0, first, (s) => {
      if (then !== first) p.C_SetPIN(s, first, then);
      p.C_InitPIN(s, then === first ? pin : 'changeme');
    });
    if (then !== first) as(1, 'changeme', (s) => p.C_SetPIN(s, 'changeme', pin));
  }
  p.C_Finalize();
  console.log(JSON.stringify(slot ? Number(slot.readBigUInt64LE()) : null));`;
