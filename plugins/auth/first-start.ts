// The first start: creates the admin of realm `_` with an initial password, and tells the operator how to sign in.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../kernel/config/config-error.ts';
import { writePrivateFile } from '../../kernel/disk/private-file.ts';
import { normalPassword } from '../../kernel/normal-form.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';
import { callWith } from '../../kernel/runtime/mailbox/remote.ts';
import { isJournal } from '../../kernel/start/service-manager.ts';
import type { AuthContext } from './actors.ts';
import { passwordBytes } from './basic.ts';
import { newPasswordProblem } from './new-password.ts';

const USERNAME = 'admin';
const VARIABLE = 'GATEHOUSE_ADMIN_PASSWORD';
const PASSWORD_BYTES = 18;
/** For each call: nobody waits behind it when the server starts, and a busy machine is no reason not to start. */
const START_MS = 300_000;
const ELSEWHERE = `the initial password of ${USERNAME} is not in this data folder: it came from ${VARIABLE} or is in that of another node; --reset-admin makes a new one`;

/** @returns lines for the operator that say how to sign in, with the initial password as long as it is valid */
export async function firstStart(ctx: AuthContext): Promise<readonly string[]> {
  const directory = callWith(ctx.actors.directory.at('main'), { deadlineMs: START_MS });
  const given = ctx.env[VARIABLE];
  delete ctx.env[VARIABLE];
  const isReset = ctx.flags['reset-admin'] !== undefined;
  if (isReset || (await directory.isEmpty())) {
    const { password, passwordHash } = await makePassword(ctx, given);
    const first = { username: USERNAME, passwordHash };
    const made = (await directory.firstStart(first)) || (isReset && (await directory.resetAdmin(first).then(() => true)));
    // A file of before has another password.
    if (given !== undefined) forgetInitialPassword(ctx.dataDir, USERNAME);
    if (made) return [given === undefined ? signIn(isJournal(process.env) ? fromFile(ctx) : `'${USERNAME}:${password}'`) : signIn(USERNAME)];
    // Another node over the same store was first: its password counts, and not the one in this node's file.
    forgetInitialPassword(ctx.dataDir, USERNAME);
  }
  const initial = await directory.initialPasswordHash(USERNAME);
  // The password itself is shown only when it is created, and never written to the journal; otherwise the line refers to the file.
  if (initial !== null && (await isInFile(ctx, initial))) return [signIn(fromFile(ctx))];
  forgetInitialPassword(ctx.dataDir, USERNAME);
  return [signIn(USERNAME), ...(initial === null ? [] : [ELSEWHERE])];
}

/** Another node may have reset the admin since, or the database may be that of a backup. */
async function isInFile(ctx: AuthContext, phc: string): Promise<boolean> {
  if (!existsSync(fileIn(ctx.dataDir))) return false;
  const password = normalPassword(readFileSync(fileIn(ctx.dataDir), 'utf8').trim()) ?? '';
  return callWith(ctx.actors.password, { deadlineMs: START_MS }).verify(phc, move(passwordBytes(password)));
}

/** @returns what is wrong with the password of the environment, if there is one */
export function firstStartProblems({ env }: Pick<AuthContext, 'env'>): readonly string[] {
  const given = env[VARIABLE];
  const problem = given === undefined ? undefined : newPasswordProblem(normalPassword(given) ?? '', USERNAME);
  return problem === undefined ? [] : [`${VARIABLE}: ${problem}`];
}

async function makePassword(ctx: AuthContext, given: string | undefined): Promise<{ password: string; passwordHash: string }> {
  const problems = firstStartProblems({ env: { [VARIABLE]: given } });
  if (problems.length > 0) throw new ConfigError(problems);
  const password = normalPassword(given ?? randomBytes(PASSWORD_BYTES).toString('base64url')) ?? '';
  const passwordHash = await callWith(ctx.actors.password, { deadlineMs: START_MS }).hash(move(passwordBytes(password)));
  // Written before the rows: a crash in between leaves a file that the next start replaces, but never an admin without a known password.
  if (given === undefined) writePrivateFile(fileIn(ctx.dataDir), `${password}\n`);
  return { password, passwordHash };
}

/** curl asks for the password if `user` does not contain one. */
function signIn(user: string): string {
  return `sign in: curl -k -u ${user} -X POST '{address}/login?realm=_'`;
}

/** For a POSIX shell, whatever the folder is called. */
function fromFile({ dataDir }: AuthContext): string {
  return `"${USERNAME}:$(cat '${fileIn(dataDir).replaceAll("'", "'\\''")}')"`;
}

/** Deletes the file, which is of no use once the password was changed. */
export function forgetInitialPassword(dataDir: string, username: string): void {
  if (username === USERNAME) rmSync(fileIn(dataDir), { force: true });
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'initial-password');
}
