// Runs others' conformance suites against a started server and holds their failures against exceptions.toml: `run.ts FOLDER`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installSystemPackages } from '../runner/installation.ts';
import { type Exception, readExceptions } from './exceptions.ts';
import { type ServerUnderTest, startUnderTest } from './server-under-test.ts';
import { judge } from './verdicts.ts';

const HSM = 'hsm::soft_hsm';
const RUNNER_LIMIT_MS = 900_000;

const [given] = process.argv.slice(2);
if (given === undefined) throw new Error('usage: run.ts FOLDER, the folder of oasis-runner.mjs and vectors-runner.mjs');
const folder = resolve(given);
// The vectors of HSMs need SoftHSM, and this runs before the tests, which install it.
if (process.env['CI'] || process.env['GATEHOUSE_TEST_INSTALL'] === '1') installSystemPackages();
const exceptions = readExceptions(readFileSync(new URL('exceptions.toml', import.meta.url), 'utf8'));
const server = await startUnderTest(join(folder, 'make-certs.sh'));
try {
  const clean = [await runOasis(server), await runVectors(server)];
  if (clean.includes(false)) process.exitCode = 1;
} finally {
  await server.end();
}

function runOasis({ address, cookie, certificates }: ServerUnderTest): Promise<boolean> {
  const args = ['--base', address, '--header', `Cookie: ${cookie}`, '--cases', join(folder, 'oasis')];
  return run('OASIS', 'oasis-runner.mjs', args, environment(certificates), exceptions.oasis);
}

/** The vectors name the keys of the token by its slot. */
function runVectors({ address, certificates, hsmSlot }: ServerUnderTest): Promise<boolean> {
  const file = (name: string) => join(certificates, name);
  const identities = ['owner', 'user'].flatMap((name) => ['--identity', `${name}=${file(`${name}.crt`)}:${file(`${name}.key`)}`]);
  const args = ['--base', address, '--ca', file('ca.crt'), ...identities, '--vectors', join(folder, 'vectors'), '--hsm-prefix', HSM];
  const hsm = hsmSlot === undefined ? {} : { HSM_SLOT_ID: String(hsmSlot), HSM_BOOTSTRAP_KEK_ID: `${HSM}::${hsmSlot}::kek_bootstrap` };
  return run('vectors', 'vectors-runner.mjs', args, { ...environment(certificates), ...hsm }, exceptions.vectors);
}

function environment(certificates: string): NodeJS.ProcessEnv {
  return { ...process.env, NODE_EXTRA_CA_CERTS: join(certificates, 'ca.crt') };
}

/** @returns whether there was nothing to complain about */
async function run(suite: string, runner: string, args: readonly string[], env: NodeJS.ProcessEnv, excepted: readonly Exception[]): Promise<boolean> {
  const { passed, failed, excepted: covered, skipped, problems } = judge(await outputOf(runner, args, env), excepted);
  for (const problem of problems) console.error(`${suite}: ${problem}`);
  console.log(`${suite}: ${passed} passed, ${failed} failed, ${covered} excepted${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return problems.length === 0;
}

/** What a runner prints; its exit status only repeats what its last line says. */
function outputOf(runner: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [join(folder, runner), '--verbose', ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), RUNNER_LIMIT_MS);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', () => {
      clearTimeout(timer);
      done(output);
    });
  });
}
