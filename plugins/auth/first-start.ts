// The first start: the admin of realm `_`, its initial password, and what the operator is told.
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../kernel/config/load.ts';
import { normalPassword } from '../../kernel/normal-form.ts';
import { writePrivateFile } from '../../kernel/private-file.ts';
import { move } from '../../kernel/runtime/bytes.ts';
import type { AuthContext } from './actors.ts';
import { passwordBytes } from './basic.ts';
import { newPasswordProblem } from './new-password.ts';

const USERNAME = 'admin';
const VARIABLE = 'GATEHOUSE_ADMIN_PASSWORD';
const PASSWORD_BYTES = 18;

/** @returns how to sign in, as long as the initial password is the admin's */
export async function firstStart(ctx: AuthContext): Promise<readonly string[]> {
  const directory = ctx.actors.directory.at('main');
  const given = ctx.env[VARIABLE];
  delete ctx.env[VARIABLE];
  const isReset = ctx.flags['reset-admin'] !== undefined;
  if (isReset || (await directory.isEmpty())) {
    const { password, passwordHash } = await makePassword(ctx, given);
    const first = { username: USERNAME, passwordHash };
    const made = (await directory.firstStart(first)) || (isReset && (await directory.resetAdmin(first).then(() => true)));
    if (made) return [given === undefined ? signIn(`'${USERNAME}:${password}'`) : signIn(USERNAME)];
  }
  if (!(await directory.hasInitialPassword(USERNAME))) forgetInitialPassword(ctx.dataDir, USERNAME);
  // The password itself is shown once, when it was made.
  else if (existsSync(fileIn(ctx.dataDir))) return [signIn(`"${USERNAME}:$(cat '${fileIn(ctx.dataDir)}')"`)];
  return [signIn(USERNAME)];
}

async function makePassword(ctx: AuthContext, given: string | undefined): Promise<{ password: string; passwordHash: string }> {
  const password = normalPassword(given ?? randomBytes(PASSWORD_BYTES).toString('base64url')) ?? '';
  const problem = newPasswordProblem(password, USERNAME);
  if (problem) throw new ConfigError([`${VARIABLE}: ${problem}`]);
  const passwordHash = await ctx.actors.password.hash(move(passwordBytes(password)));
  // Written before the rows: a crash in between leaves a file that the next start replaces, never an admin without a password.
  if (given === undefined) writePrivateFile(fileIn(ctx.dataDir), `${password}\n`);
  return { password, passwordHash };
}

/** curl asks for the password where the user stands alone. */
function signIn(user: string): string {
  return `sign in: curl -k -u ${user} -X POST '{address}/login?realm=_'`;
}

/** The file has done its work once the password is another. */
export function forgetInitialPassword(dataDir: string, username: string): void {
  if (username === USERNAME) rmSync(fileIn(dataDir), { force: true });
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'initial-password');
}
