// The server that conformance suites run against: a process of its own with the suite's certificates and a signed-in administrator.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { exitOf, launch } from '../e2e/started.ts';
import { until } from '../runtime.ts';
import { asker, temporaryFolder } from '../server.ts';
import { createSoftHsm } from '../softhsm.ts';
import { skipWithout } from '../system.ts';

export interface ServerUnderTest {
  readonly address: string;
  /** Folder of ca.crt, server.*, owner.* and user.*. */
  readonly certificates: string;
  /** The slot of a token that the administrator of the scenarios administers; undefined on a machine without SoftHSM. */
  readonly hsmSlot: number | undefined;
  /** The administrator's session, as the value of a Cookie header. */
  readonly cookie: string;
  /** Stops the server and removes what it wrote. */
  end(): Promise<void>;
}

const CONFIG = `
[http.tls]
cert = "certificates/server.crt"
key = "certificates/server.key"
client_ca = "certificates/ca.crt"
# Scenarios of appliances send an account that is not the certificate's.
[keys]
header_credentials = "ignored"
KEY_ENCRYPTION_KEY
[log]
level = "warn"
`;
/** The suites' README names the PIN and the administrator. */
const PIN = '12345678';
const hsmConfig = (slot: number) => `
[[hsm_instances]]
hsm_model = "soft_hsm"
hsm_slot = [${slot}]
hsm_password = ["${PIN}"]
hsm_admin = ["owner.client@acme.com"]
`;
const STOP_WITHIN_MS = 10_000;

/** @param makeCertificates a script that is given the folder to write to @throws Error where the server does not start, with what it said */
export async function startUnderTest(makeCertificates: string): Promise<ServerUnderTest> {
  const folder = temporaryFolder();
  const certificates = join(folder, 'certificates');
  execFileSync('bash', [makeCertificates, certificates], { stdio: 'ignore' });
  const hsm = skipWithout('softhsm2') ? undefined : createSoftHsm();
  const hsmSlot = hsm?.addToken('conformance', PIN);
  const kek = hsmSlot === undefined ? '' : `key_encryption_key = "hsm::soft_hsm::${hsmSlot}::kek"`;
  writeFileSync(join(folder, 'config.toml'), CONFIG.replace('KEY_ENCRYPTION_KEY', kek) + (hsmSlot === undefined ? '' : hsmConfig(hsmSlot)));
  const { child, output } = launch(join(folder, 'data'), ['--config', join(folder, 'config.toml')], { GATEHOUSE_ADMIN_PASSWORD: 'the first password' });
  const kill = () => void child.kill('SIGKILL');
  process.on('exit', kill);
  const end = async () => {
    child.kill('SIGTERM');
    const late = setTimeout(kill, STOP_WITHIN_MS);
    await exitOf(child);
    clearTimeout(late);
    process.off('exit', kill);
    hsm?.end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(() => /is ready at/.test(output.text) || child.exitCode !== null, 'the server is ready', 60_000);
    const address = /is ready at (https:\S+)/.exec(output.text)?.[1];
    if (address === undefined) throw new Error(`the server did not start: ${output.text}`);
    await untilReady(address, join(certificates, 'ca.crt'));
    return { address, certificates, hsmSlot, cookie: await signIn(address, readFileSync(join(certificates, 'ca.crt'), 'utf8')), end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The HSM starts in the background, and the key server is sealed until then. */
async function untilReady(address: string, ca: string): Promise<void> {
  const agent = new Agent({ connect: { ca: readFileSync(ca, 'utf8') } });
  const ask = asker(address, agent);
  await until(async () => (await ask('GET', '/ready')).status === 200, 'everything is ready', 60_000);
  await agent.close();
}

async function signIn(address: string, ca: string): Promise<string> {
  const agent = new Agent({ connect: { ca } });
  const ask = asker(address, agent);
  const { cookie, text } = await ask('POST', '/login?realm=_', { user: 'admin:the first password', body: { new_password: 'the second password' } });
  await agent.close();
  if (cookie === undefined) throw new Error(`the administrator could not sign in: ${text}`);
  return `_ea_=${cookie}`;
}
