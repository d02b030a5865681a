// schemathesis: requests of every kind made from the server's own description, as a super admin and as nobody.
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSecureServer } from '../../secure-server.ts';
import { signInAdmin } from '../../server.ts';
import type { ForeignClient, Outcome } from '../client.ts';
import { outputOf, pythonEnvironment } from '../program.ts';
import { type Exception, exceptionOf, exceptions, type Finding, isUnserved } from './exceptions.ts';
import { type Report, readReport } from './report.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
/** For a look at a part: `--phases fuzzing`, `--include-path /certify`. */
const MORE = process.env['SCHEMATHESIS_ARGS']?.split(' ') ?? [];
/** How many of each operation, in the phases that draw them by chance. */
const CHANCE = ['--max-examples', process.env['SCHEMATHESIS_EXAMPLES'] ?? '50', '--seed', process.env['SCHEMATHESIS_SEED'] ?? '1'];
/** Paths that hold about half of all operations. */
const PEOPLE = '^/(v1/)?(auth|realms|admins|sessions|login)';
/** At the same time: schemathesis itself takes a core. Nobody's requests are refused before anything of them is read, so boundary values would show nothing. */
const RUNS: readonly Run[] = [
  { who: 'admin', part: 'people', args: ['--include-path-regex', PEOPLE] },
  { who: 'admin', part: 'others', args: ['--exclude-path-regex', PEOPLE] },
  { who: 'nobody', part: 'everything', args: ['--phases', 'fuzzing'] },
];
const LIMIT_MS = 1_200_000;
/** The admin record that schemathesis signs in by, and the role of its app tokens. */
const OWN = 'schemathesis';
/** Bodies as large as the description allows, and time for them on a loaded machine, so that no limit of the configuration is met. */
const CONFIG =
  '[tokenize]\nbody_limit = 16777216\ntime_limit_ms = 60000\n[auth]\npublish_session_jwks = true\nlogin_rate_per_second = 100000\nlogin_rate_burst = 100000\n';

export const SCHEMATHESIS: ForeignClient = {
  name: 'schemathesis',
  prepare: (folder) => pythonEnvironment(folder, here('requirements.txt')),
  async run(folder) {
    const told = await Promise.all(RUNS.map((run) => runOne(run, folder)));
    const used = new Set(told.flatMap((each) => [...each.used]));
    for (const exception of exceptions)
      if (!used.has(exception)) console.log(`schemathesis: no finding now of ${exception.operation}: ${exception.answer}: ${exception.reason}`);
    const asAdmin = told.filter(({ who }) => who === 'admin').map(({ report }) => report);
    for (const operation of asAdmin.flatMap(({ served }) => [...served]))
      if (isUnserved(operation)) console.log(`schemathesis: a request of ${operation} was served, which is listed as unserved`);
    const passed = told.reduce((sum, each) => sum + each.passed, 0);
    return { passed, problems: [...told.flatMap(({ problems }) => problems), ...asAdmin.flatMap(neverServed)] };
  },
};

interface Run {
  readonly who: 'admin' | 'nobody';
  readonly part: string;
  /** Which operations and which phases. */
  readonly args: readonly string[];
}

interface Told extends Outcome {
  readonly who: Run['who'];
  readonly report: Report;
  /** Exceptions that were met. */
  readonly used: ReadonlySet<Exception>;
}

/**
 * The server closes a connection that was idle for 15 seconds. A client that sends at that very moment finds it closed and has to repeat the request
 * (RFC 9112 section 9.5), which this one does not. Seen once in 400 000 requests.
 */
const isCloseRace = (error: string): boolean => /SSLEOFError|RemoteDisconnected|ConnectionResetError/.test(error);
const MAX_CLOSE_RACES = 2;

/** On a server of its own: what the one does to people, realms and keys is no affair of the other. */
async function runOne({ who, part, args: more }: Run, folder: string): Promise<Told> {
  const server = await startSecureServer({ config: CONFIG });
  try {
    const cookie = await signInAdmin(server);
    await server.ask('POST', '/admins', { cookie, body: { id: OWN, realms: ['_'], client_certificate: OWN } });
    const { cert, key } = await server.client(OWN);
    const own = join(folder, `${who}-${part}`);
    const files = { ca: `${own}-ca.pem`, certificate: `${own}.pem`, report: own };
    writeFileSync(files.ca, server.authority.cert);
    writeFileSync(files.certificate, `${cert.trim()}\n${key}`);
    const env = {
      GATEHOUSE_URL: server.address,
      GATEHOUSE_CA: files.ca,
      GATEHOUSE_CERT: files.certificate,
      GATEHOUSE_OWN: OWN,
      GATEHOUSE_WHO: who,
      SCHEMATHESIS_HOOKS: here('hooks.py'),
      // Nothing is left beside the hooks.
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const report = ['--report', 'ndjson', '--report-dir', files.report];
    const args = ['--config-file', here('schemathesis.toml'), '--no-color', 'run', `${server.address}/openapi.yaml`, '--tls-verify', files.ca, ...report];
    const program = join(folder, 'python', 'bin', 'schemathesis');
    const { status, stdout, stderr } = await outputOf(program, [...args, ...CHANCE, ...more, ...MORE], { cwd: folder, env, limitMs: LIMIT_MS });
    const [file] = globSync(join(files.report, '*.ndjson'));
    if (file === undefined || status === null || status > 1)
      throw new Error(`schemathesis as ${who} ended with ${status}: ${stdout.slice(-2_000)}${stderr.slice(-2_000)}`);
    return judged(who, await readReport(file));
  } finally {
    await server.end();
  }
}

function judged(who: Run['who'], report: Report): Told {
  const used = new Set<Exception>();
  const [closed, errors] = [report.errors.filter(isCloseRace), report.errors.filter((error) => !isCloseRace(error))];
  // Every one of them is reported if there are more than chance explains.
  const problems = new Set<string>((closed.length > MAX_CLOSE_RACES ? report.errors : errors).map((error) => `as ${who}: ${error}`));
  for (const finding of report.findings) {
    const exception = exceptionOf(finding);
    if (exception) used.add(exception);
    else problems.add(`as ${who}: ${inWords(finding)}`);
  }
  return { passed: report.passed, problems: [...problems], who, report, used };
}

function inWords({ operation, check, message, status, answer, request }: Finding): string {
  return `${operation}: ${check}: ${message.replaceAll(/\s+/g, ' ').slice(0, 300)}; answered ${status} ${answer.slice(0, 300)} to ${request.slice(0, 500)}`;
}

/** A super admin may do everything: what none of so many requests did was not tried. */
function neverServed({ served, operations }: Report): string[] {
  const never = [...operations].filter((operation) => !served.has(operation) && !isUnserved(operation));
  return never.map((operation) => `as admin: ${operation}: no request was served`);
}
