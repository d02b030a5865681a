// The commands of docs/hsms.md run as they stand there: from nothing to a signature in SoftHSM, and in a TPM.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, temporaryFolder } from '../../server.ts';
import { createSoftHsm } from '../../softhsm.ts';
import { skipWithout } from '../../system.ts';
import { startTpm } from '../../tokens.ts';

const page = readFileSync(new URL('../../../docs/hsms.md', import.meta.url), 'utf8');

function block(name: string): string {
  const found = new RegExp(`\`\`\`sh ${name}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
  assert.ok(found, name);
  return found;
}

/** The commands of the page, on the token that the first of them make. */
async function lead(folder: string, { token, start, keys, replaced }: { token: string; start: RegExp; keys: string; replaced: string }): Promise<void> {
  const run = async (script: string, env: NodeJS.ProcessEnv = {}) =>
    (await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script], { cwd: folder, env: { ...process.env, ...env } })).stdout;
  let failure: unknown;
  const made = () =>
    run(block(token)).then(
      () => true,
      (error: unknown) => {
        failure = error;
        return false;
      },
    );
  // What is below the library may still be starting.
  await until(made, `the token is made: ${token}`, 20_000).catch((error: unknown) => Promise.reject(failure ?? error));
  const flags = start.exec(page)?.[0].split(' ') ?? [];
  const value = (flag: string) => flags[flags.indexOf(flag) + 1] as string;
  const config = `[[hsm_instances]]\nhsm_model = "${value('--hsm-model')}"\nhsm_slot = [${value('--hsm-slot')}]\nhsm_password = ["12345678"]\nhsm_admin = ["${value('--hsm-admin')}"]\n`;
  const server = await startServer({ config });
  try {
    const cookie = await signInAdmin(server);
    await until(async () => (await server.ask('GET', '/hsm/status', { cookie })).text.includes('"accessible":true'), 'the slot is accessible', 20_000);
    writeFileSync(join(folder, 'jar'), `127.0.0.1\tFALSE\t/\tTRUE\t0\t_ea_\t${cookie}\n`);
    const output = await run(block('hsm').replaceAll(replaced, keys), { BASE: server.address });
    for (const expected of [`"value":"${keys}::signing_pk"`, '"valid":true']) assert.ok(output.includes(expected), `${expected} in ${output}`);
    const status = /# (\[\{"prefix".*\])$/m.exec(page)?.[1] as string;
    if (keys === replaced) assert.ok(output.includes(status), `${status} in ${output}`);
  } finally {
    await server.end();
  }
}

/** The page says so. */
const SOFT_HSM = 'hsm::soft_hsm::0';
const TPM = 'hsm::tpm2::1';

if (!skipWithout('softhsm2'))
  test('the commands of docs/hsms.md lead from nothing to a signature', async () => {
    const hsm = createSoftHsm();
    await lead(hsm.folder, { token: 'token', start: /npm start -- .*soft_hsm.*/, keys: SOFT_HSM, replaced: SOFT_HSM });
    hsm.end();
  });

if (!['libtpm2-pkcs11-1', 'libtpm2-pkcs11-tools', 'libtss2-tcti-tabrmd0', 'tpm2-abrmd', 'dbus-daemon', 'swtpm'].some(skipWithout))
  test('the commands of docs/hsms.md lead from a TPM without token to a signature', async () => {
    assert.ok(page.includes(`\`${TPM}\` in place of \`${SOFT_HSM}\``));
    const tpm = await startTpm();
    const folder = temporaryFolder();
    try {
      await lead(folder, { token: 'tpm', start: /npm start -- .*tpm2.*/, keys: TPM, replaced: SOFT_HSM });
    } finally {
      await tpm.end();
      rmSync(folder, { recursive: true });
    }
  });

test.run();
