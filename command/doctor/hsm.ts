// Checks the libraries of the configured HSMs: whether each is there and can be loaded, in a process that may crash.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { HsmConfig } from '../../plugins/hsm/config.ts';
import { type Check, type Finding, ok, problem } from './finding.ts';

const LOAD_MS = 15_000;
/** C_Initialize is left out: a library of a running server may allow one process only. */
const LOAD = 'const { PKCS11 } = require(process.argv[1]); new PKCS11().load(process.argv[2]);';

export const checkHsms: Check = async ({ sections, env }) => {
  const config = (sections.get('hsm') ?? []) as HsmConfig;
  if (config.length === 0) return [];
  const { hsmInstances } = await import('../../plugins/hsm/instances.ts');
  return hsmInstances(config, env).map(({ prefix, args: { library } }) => loading(prefix, library));
};

function loading(prefix: string, library: string): Finding {
  const advice = 'install the software of the vendor, or name its library: [[hsm_instances]] library';
  if (library === '') return problem(prefix, 'its library is in none of its usual places', advice);
  if (!existsSync(library)) return problem(prefix, `${library} is not there`, advice);
  const binding = createRequire(import.meta.url).resolve('pkcs11js');
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', LOAD, binding, library], { encoding: 'utf8', timeout: LOAD_MS });
  if (status === 0) return ok(prefix, `${library} can be loaded`);
  const reason = signal ? `ended with ${signal}` : (/^\w*Error: (.+)$/m.exec(stderr)?.[1] ?? `ended with ${status}`);
  return problem(prefix, `${library} cannot be loaded: ${reason}`, 'ldd shows which libraries it misses');
}
