// `gatehouse login`: by password and second factor, JWT, client certificate, role or app token; what remains is a profile without a password.
import { resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { command, flag, type Surroundings } from '../command.ts';
import { connect } from '../connection.ts';
import { CommandError, EXIT, exitOf } from '../exit.ts';
import { keepApart } from '../given.ts';
import { type Profile, readProfile, writeProfile } from '../profile.ts';
import { trust } from '../trust.ts';

interface Flags {
  readonly realm?: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly newPasswordFile?: string;
  readonly codeFile?: string;
  readonly jwtFile?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly roleId?: string;
  readonly secretIdFile?: string;
  readonly withoutSecretId?: boolean;
  readonly tokenFile?: string;
  readonly ca?: string;
  readonly fingerprint?: string;
}

const DEFAULT_ADDRESS = 'https://127.0.0.1:8443';

export const login = command<Flags>({
  name: 'login',
  about: 'Sign in to a server; later commands use this session',
  args: [['[address]', `address of the server (default: that of the profile, or ${DEFAULT_ADDRESS})`]],
  flags: [
    flag('--realm <realm>', 'realm to sign in to (default: _)'),
    flag('--user <name>', 'user name'),
    flag('--password-file <file>', 'file with the password; - reads a line of standard input'),
    flag('--new-password-file <file>', 'file with a new password, if the server wants one; - as above'),
    flag('--code-file <file>', 'file with the code of the second factor; - as above'),
    flag('--jwt-file <file>', 'sign in with a JWT of an identity provider; - as above'),
    flag('--cert <file>', 'client certificate; with --realm for a session, without it for every request'),
    flag('--key <file>', 'key of the client certificate'),
    flag('--role-id <id>', 'sign in with a role'),
    flag('--secret-id-file <file>', 'file with the secret id of the role; - as above'),
    flag('--without-secret-id', 'the role wants no secret id'),
    flag('--token-file <file>', 'file with an app token; - as above'),
    flag('--ca <file>', 'authorities to trust'),
    flag('--fingerprint <sha256>', 'trust the certificate with this fingerprint'),
  ],
  example: 'gatehouse login https://keys.example:8443 --realm team --user ada',
  async run(given, [address], flags) {
    checkWay(flags);
    const signedIn = await session(given, await serverOf(given, address as string | undefined, flags), flags);
    const { client, close } = connect(signedIn);
    try {
      const { user } = await client.call('GET /me').catch((error: unknown) => {
        throw exitOf(error) === EXIT.unauthenticated ? new CommandError(`the server does not accept ${whatOf(flags)}`, EXIT.unauthenticated) : error;
      });
      // What does not work does not replace what does.
      writeProfile(given.profile, signedIn);
      given.out.done(`Signed in to ${signedIn.address} as ${user}`, { address: signedIn.address, user });
    } finally {
      await close();
    }
  },
});

const OF_ROLE = ['secretIdFile', 'withoutSecretId'] as const;
const BY_PASSWORD = ['user', 'passwordFile', 'newPasswordFile', 'codeFile'] as const;

/** Flags of another way to sign in would be passed over, and so would a fingerprint beside the authorities. */
function checkWay(flags: Flags): void {
  keepApart(flags, 'tokenFile', ['roleId', ...OF_ROLE, 'jwtFile', 'realm', ...BY_PASSWORD]);
  for (const machine of ['roleId', ...OF_ROLE] as const) keepApart(flags, machine, ['jwtFile', 'realm', ...BY_PASSWORD]);
  keepApart(flags, 'withoutSecretId', ['secretIdFile']);
  if (flags.roleId === undefined && OF_ROLE.some((name) => flags[name] !== undefined))
    throw new CommandError('--role-id is missing: a secret id is one of a role', EXIT.usage);
  keepApart(flags, 'jwtFile', ['cert', ...BY_PASSWORD]);
  keepApart(flags, 'cert', BY_PASSWORD);
  keepApart(flags, 'ca', ['fingerprint']);
}

const whatOf = ({ tokenFile, cert }: Flags): string =>
  tokenFile !== undefined ? 'the app token' : cert !== undefined ? 'the client certificate' : 'what it has just given';

/** Where the profile leads now; the trust of an earlier sign-in to the same server goes on. */
async function serverOf(given: Surroundings, asked: string | undefined, { ca, fingerprint, cert, key }: Flags): Promise<Profile> {
  const before = earlier(given.profile);
  const address = originOf(asked ?? before?.address ?? DEFAULT_ADDRESS);
  const isKnown = before?.address === address && ca === undefined && fingerprint === undefined;
  const trusted = isKnown ? { ca: before.ca, fingerprint: before.fingerprint } : await trust(address, { ca, fingerprint }, given.prompts);
  if ((cert === undefined) !== (key === undefined)) throw new CommandError('--cert and --key go together', EXIT.usage);
  return {
    address,
    ...(trusted.ca === undefined ? {} : { ca: trusted.ca }),
    ...(trusted.fingerprint === undefined ? {} : { fingerprint: trusted.fingerprint }),
    // Later commands run in other folders.
    ...(cert === undefined || key === undefined ? {} : { cert: resolve(cert), key: resolve(key) }),
  };
}

function earlier(path: string): Profile | undefined {
  try {
    return readProfile(path);
  } catch {
    return undefined;
  }
}

function originOf(address: string): string {
  const url = URL.parse(address.includes('://') ? address : `https://${address}`);
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url.origin;
  throw new CommandError('the address must be https://HOST:PORT', EXIT.usage);
}

async function session({ prompts }: Surroundings, profile: Profile, flags: Flags): Promise<Profile> {
  const { client, close } = connect(profile, undefined);
  try {
    if (flags.tokenFile !== undefined) return { ...profile, token: await prompts.secret('App token:', flags.tokenFile, '--token-file') };
    if (flags.roleId !== undefined) {
      const secret_id = flags.withoutSecretId ? null : await prompts.secret('Secret id:', flags.secretIdFile, '--secret-id-file');
      const { auth } = await client.call('POST /auth/approle/login', { body: { role_id: flags.roleId, secret_id } });
      return { ...profile, token: auth.client_token };
    }
    if (flags.cert !== undefined && flags.realm === undefined) return profile;
    const realm = flags.realm ?? '_';
    if (flags.cert !== undefined) return { ...profile, ...(await finished(client, realm, {})) };
    if (flags.jwtFile !== undefined) {
      const bearer = await prompts.secret('JWT:', flags.jwtFile, '--jwt-file');
      return { ...profile, ...(await finished(client.as({ bearer }), realm, {})) };
    }
    return { ...profile, ...(await byPassword(client, realm, prompts, flags)) };
  } finally {
    await close();
  }
}

/** The server says what it wants next: a code, a new password, or both. */
async function byPassword(client: Client, realm: string, prompts: Surroundings['prompts'], flags: Flags) {
  if (flags.user === undefined && !prompts.isInteractive) throw new CommandError('--user is missing', EXIT.usage);
  const user = flags.user ?? (await prompts.ask('User name:'));
  const password = await prompts.secret('Password:', flags.passwordFile, '--password-file');
  const asUser = client.as({ user, password });
  const body: { totp_code?: string; new_password?: string } = {};
  for (;;) {
    const { next_step: next, cookie, session_id } = await asUser.signIn({ query: { realm }, body });
    if (next === 'Authenticated') return { realm, cookie: cookie as string, session: session_id as string };
    if (next === 'TotpRequired' && body.totp_code === undefined)
      body.totp_code = await prompts.secret('Code of the second factor:', flags.codeFile, '--code-file');
    else if (next === 'ChangePassword' && body.new_password === undefined) body.new_password = await newPassword(prompts, flags.newPasswordFile);
    else throw new CommandError(`the sign-in does not end: the server asks for ${next} again`, EXIT.unauthenticated);
  }
}

async function newPassword(prompts: Surroundings['prompts'], file: string | undefined): Promise<string> {
  const first = await prompts.secret('New password:', file, '--new-password-file');
  if (file === undefined && (await prompts.secret('New password again:', undefined, '--new-password-file')) !== first)
    throw new CommandError('the two passwords differ', EXIT.usage);
  return first;
}

async function finished(client: Client, realm: string, body: Record<string, never>) {
  const { next_step: next, cookie, session_id } = await client.signIn({ query: { realm }, body });
  if (next !== 'Authenticated' || cookie === undefined) throw new CommandError(`the server asks for ${next}`, EXIT.unauthenticated);
  return { realm, cookie, session: session_id as string };
}
