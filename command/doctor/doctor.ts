// `gatehouse doctor`: everything that is wrong with the installation on this machine, and what to do.
import { resolve } from 'node:path';
import { ConfigError } from '../../kernel/config/config-error.ts';
import { command, type Surroundings } from '../command.ts';
import { CommandError, EXIT } from '../exit.ts';
import { argvOf, type Installation as Given, INSTALLATION } from '../groups/local.ts';
import { printable } from '../printable.ts';
import { checkCertificates } from './certificates.ts';
import { checkDatabase } from './database.ts';
import { checkFiles, unreadableFolder } from './files.ts';
import { type Check, type Finding, type Installation, ok, problem, warning } from './finding.ts';
import { checkHsms } from './hsm.ts';
import { checkClock, checkEntropy, checkLimits, checkPackages, memoryFindings } from './machine.ts';
import { checkRevocationLists } from './revocation-lists.ts';
import { checkSecretFiles } from './secret-files.ts';

const CHECKS: readonly Check[] = [
  checkFiles,
  checkSecretFiles,
  checkCertificates,
  checkRevocationLists,
  checkClock,
  checkDatabase,
  checkHsms,
  checkPackages,
  checkEntropy,
  checkLimits,
  () => memoryFindings(),
];

export const doctor = command<Given>({
  name: 'doctor',
  about: 'Say what is wrong with the installation on this machine, and what to do; changes nothing. The exit code is 8 for a problem',
  flags: INSTALLATION,
  example: 'gatehouse doctor --config /etc/gatehouse/config.toml --data-dir /var/lib/gatehouse',
  async run(given, _, flags) {
    const findings = await examine(flags, { ...given.env }, Date.now());
    if (given.out.isJson)
      given.out.table(
        findings.map((each) => ({ ...each })),
        [],
      );
    else for (const finding of findings) show(given, finding);
    const problems = findings.filter(({ state }) => state === 'problem').length;
    if (problems > 0) throw new CommandError(problems === 1 ? 'there is a problem' : `there are ${problems} problems`, EXIT.wrong);
  },
});

/** @param env a copy: what the configuration takes from it is deleted there */
export async function examine(flags: Given, env: NodeJS.ProcessEnv, now: number): Promise<Finding[]> {
  const [{ configure }, { checkConfiguredFiles }, { migrationSets }, { BUILT_IN }] = await Promise.all([
    import('../../kernel/start/configure.ts'),
    import('../../kernel/start/configured-files.ts'),
    import('../../kernel/catalog/migrations.ts'),
    import('../../plugins/index.ts'),
  ]);
  const findings: Finding[] = [];
  let installation: Installation;
  try {
    const configured = await configure({ plugins: BUILT_IN, argv: argvOf(flags), env });
    // Whatever is in it would seem to be missing.
    const unreadable = unreadableFolder(resolve(configured.dataDir));
    if (unreadable) return [unreadable];
    const warnings = [...configured.warnings, ...checkConfiguredFiles(configured)];
    const { config, sections, secretFiles, base, dataDir, catalog } = configured;
    installation = { config, sections, migrations: migrationSets(catalog.plugins), secretFiles, base, dataDir: resolve(dataDir), env, now };
    findings.push(ok('configuration', 'it can be read'), ...warnings.map((text) => warning('configuration', text, 'correct it')));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [problem('configuration', error.message, 'correct the file, the variable or the flag; config.toml of the package lists every key')];
  }
  for (const check of CHECKS) findings.push(...(await check(installation)));
  return findings;
}

const MARK = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' } as const;

function show({ stdout }: Pick<Surroundings, 'stdout'>, { state, about, says, advice }: Finding): void {
  stdout.write(`${MARK[state]}  ${printable(about)}: ${says.split('\n').map(printable).join('\n         ')}\n`);
  if (advice !== undefined) stdout.write(`         ${printable(advice)}\n`);
}
