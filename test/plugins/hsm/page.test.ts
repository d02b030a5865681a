// The commands of docs/hsms.md run as they stand there: from nothing to a signature in SoftHSM.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer } from '../../server.ts';
import { createSoftHsm } from '../../softhsm.ts';
import { skipWithout } from '../../system.ts';

const page = readFileSync(new URL('../../../docs/hsms.md', import.meta.url), 'utf8');

function block(name: string): string {
  const found = new RegExp(`\`\`\`sh ${name}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
  assert.ok(found, name);
  return found;
}

if (!skipWithout('softhsm2')) {
  test('the commands of docs/hsms.md lead from nothing to a signature', async () => {
    const hsm = createSoftHsm();
    const run = async (script: string, env: NodeJS.ProcessEnv = {}) =>
      (await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script], { cwd: hsm.folder, env: { ...process.env, ...env } })).stdout;
    await run(block('token'));
    const flags = /npm start -- (.*)/.exec(page)?.[1]?.split(' ') ?? [];
    const value = (flag: string) => flags[flags.indexOf(flag) + 1] as string;
    const config = `[[hsm_instances]]\nhsm_model = "${value('--hsm-model')}"\nhsm_slot = [${value('--hsm-slot')}]\nhsm_password = ["12345678"]\nhsm_admin = ["${value('--hsm-admin')}"]\n`;
    const server = await startServer({ config });
    const cookie = await signInAdmin(server);
    await until(async () => (await server.ask('GET', '/hsm/status', { cookie })).text.includes('"accessible":true'), 'the slot is accessible');
    writeFileSync(join(hsm.folder, 'jar'), `127.0.0.1\tFALSE\t/\tTRUE\t0\t_ea_\t${cookie}\n`);
    const output = await run(block('hsm'), { BASE: server.address });
    await server.end();
    hsm.end();
    const status = /# (\[\{"prefix".*\])$/m.exec(page)?.[1] as string;
    for (const expected of [status, '"value":"hsm::soft_hsm::0::signing_pk"', '"valid":true']) assert.ok(output.includes(expected), `${expected} in ${output}`);
  });
  test.run();
}
