// `gatehouse user ...`: credentials of people by realm: made, changed, unlocked, with a second factor.
import { command, flag, type Group, type Surroundings } from '../command.ts';
import { confirmed, YES, type Yes } from '../confirmed.ts';
import { CommandError, EXIT } from '../exit.ts';
import { first, LIMIT, type Limit } from '../first.ts';

const REALM = ['<realm>', 'name of the realm'] as const;
const USER = ['<user>', 'user name'] as const;
const PASSWORD_FILE = flag('--password-file <file>', 'file with the password; - reads a line of standard input');
const COLUMNS = ['realm', 'username', 'change_password', 'roles'] as const;

/** Asked for twice on a terminal. */
async function passwordFor({ prompts }: Surroundings, user: string, file: string | undefined): Promise<string> {
  const password = await prompts.secret(`Password for ${user}:`, file, '--password-file');
  if (file === undefined && (await prompts.secret('Again:', undefined, '--password-file')) !== password)
    throw new CommandError('the two passwords differ', EXIT.usage);
  return password;
}

const list = command<Limit>({
  name: 'list',
  about: 'List the credentials of a realm',
  args: [REALM],
  flags: [LIMIT],
  example: 'gatehouse user list team',
  async run(given, [realm_id], { limit }) {
    const rows = await first((each) => given.client().list('GET /realms/{realm_id}/userpass', { params: { realm_id }, query: { limit: each } }), limit);
    given.out.table(rows, COLUMNS);
  },
});

const create = command<{ readonly passwordFile?: string; readonly changePassword?: boolean; readonly role?: readonly string[] }>({
  name: 'create',
  about: 'Create a credential with a password',
  args: [REALM, USER],
  flags: [PASSWORD_FILE, flag('--change-password', 'the user must choose another one at the first sign-in'), flag('--role <role...>', 'role; repeatable')],
  example: 'gatehouse user create team ada --change-password',
  async run(given, [realm_id, username], { passwordFile, changePassword = false, role = [] }) {
    const plaintext = await passwordFor(given, username, passwordFile);
    const body = { username, password_input: { plaintext }, change_password: changePassword, roles: role };
    const user = await given.client().call('POST /realms/{realm_id}/userpass', { params: { realm_id }, body });
    given.out.done(`Created ${realm_id}/${username}`, user);
  },
});

const show = command({
  name: 'show',
  about: 'Show a credential',
  args: [REALM, USER],
  example: 'gatehouse user show team ada',
  async run(given, [realm_id, username]) {
    const { password_hash: _, ...user } = await given.client().call('GET /realms/{realm_id}/userpass/{username}', { params: { realm_id, username } });
    given.out.record(user);
  },
});

const reset = command<{ readonly passwordFile?: string; readonly keep?: boolean }>({
  name: 'reset',
  about: 'Give a user another password, to be changed at the next sign-in',
  args: [REALM, USER],
  flags: [PASSWORD_FILE, flag('--keep', 'the user may keep this password')],
  example: 'gatehouse user reset team ada',
  async run(given, [realm_id, username], { passwordFile, keep = false }) {
    const params = { realm_id, username };
    const { roles, extra_claims } = await given.client().call('GET /realms/{realm_id}/userpass/{username}', { params });
    const plaintext = await passwordFor(given, username, passwordFile);
    const body = { username, roles, extra_claims, change_password: !keep, password_input: { plaintext } };
    const user = await given.client().call('PUT /realms/{realm_id}/userpass/{username}', { params, body });
    given.out.done(`${realm_id}/${username} has another password`, user);
  },
});

const unlock = command({
  name: 'unlock',
  about: 'Remove the locks of failed sign-ins',
  args: [REALM, USER],
  example: 'gatehouse user unlock team ada',
  async run(given, [realm_id, username]) {
    await given.client().call('POST /realms/{realm_id}/userpass/{username}/unlock', { params: { realm_id, username } });
    given.out.done(`Unlocked ${realm_id}/${username}`, { realm: realm_id, username });
  },
});

const remove = command<Yes>({
  name: 'delete',
  about: 'Delete a credential and end its sessions',
  args: [REALM, USER],
  flags: [YES],
  example: 'gatehouse user delete team ada',
  async run(given, [realm_id, username], yes) {
    await confirmed(given, yes, `deletes ${realm_id}/${username}; the keys of the account stay, and only a super admin can hand them over`, username);
    await given.client().call('DELETE /realms/{realm_id}/userpass/{username}', { params: { realm_id, username } });
    given.out.done(`Deleted ${realm_id}/${username}`, { realm: realm_id, username });
  },
});

const enrol = command<{ readonly secretFile?: string; readonly codeFile?: string }>({
  name: 'enrol',
  about: 'Set up a second factor: shows its secret, then asks for a code. A script calls it twice, the second time with the secret',
  args: [REALM, USER],
  flags: [
    flag('--secret-file <file>', 'file with the secret that the first call has shown'),
    flag('--code-file <file>', 'file with a code; - as for passwords'),
  ],
  example: 'gatehouse user enrol team ada',
  async run(given, [realm_id, username], { secretFile, codeFile }) {
    const params = { realm_id };
    let secret: string;
    if (secretFile === undefined) {
      const made = await given.client().call('POST /realms/{realm_id}/totp/generate', { params, body: { username, issuer: 'gatehouse' } });
      if (!given.prompts.isInteractive) return given.out.record(made);
      given.prompts.tell(`Enter this secret in an authenticator, or open the address there:\n  ${made.secret_base32}\n  ${made.otpauth_url}\n`);
      secret = made.secret_base32;
    } else secret = await given.prompts.secret('Secret:', secretFile, '--secret-file');
    const token = await given.prompts.secret('Code:', codeFile, '--code-file');
    await given
      .client()
      .call('POST /realms/{realm_id}/totp/verify', { params, body: { username, issuer: 'gatehouse', secret: secret.trim(), token: token.trim() } });
    given.out.done(`${realm_id}/${username} has a second factor`, { realm: realm_id, username });
  },
});

const unenrol = command<Yes & { readonly codeFile?: string }>({
  name: 'unenrol',
  about: 'Remove the second factor of a user; your own needs a code',
  args: [REALM, USER],
  flags: [flag('--code-file <file>', 'file with a code; - as for passwords'), YES],
  example: 'gatehouse user unenrol team ada',
  async run(given, [realm_id, username], { codeFile, ...yes }) {
    await confirmed(given, yes, `removes the second factor of ${realm_id}/${username}`, username);
    const code = codeFile === undefined ? undefined : (await given.prompts.secret('Code:', codeFile, '--code-file')).trim();
    const body = code === undefined ? {} : { totp_code: code };
    await given.client().call('DELETE /realms/{realm_id}/totp/{username}', { params: { realm_id, username }, body });
    given.out.done(`${realm_id}/${username} has no second factor any more`, { realm: realm_id, username });
  },
});

export const USER_GROUP: Group = {
  name: 'user',
  about: 'Credentials of people: passwords, second factors, locks',
  commands: [list, create, show, reset, unlock, enrol, unenrol, remove],
};
