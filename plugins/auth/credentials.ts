// The routes /realms/{realm_id}/userpass/...: administration of credentials, which are user names with passwords.
import type { Static } from 'typebox';
import type { Credential, CredentialInput, Principal } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { nameIn } from '../../kernel/http/name.ts';
import type { Request, Response, Route } from '../../kernel/http/route.ts';
import { MAX_PASSWORD_CHARACTERS, normalPassword } from '../../kernel/normal-form.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';
import Type from '../../kernel/type.ts';
import type { AuthContext } from './actors.ts';
import { passwordBytes } from './basic.ts';
import { EXTRA_CLAIMS } from './claim-names.ts';
import { answerList, answerNames, NAME_QUERY, PAGE_QUERY } from './listing.ts';
import { NEW_PASSWORD, newPasswordProblem } from './new-password.ts';
import { Ignored, IgnoredName, MAX_STORED_BYTES, USERNAME } from './parameters.ts';
import { PHC } from './phc.ts';
import { actorOf, forRealmAdmins, forSuperAdmins, requireFound } from './rights.ts';
import { usernameOf } from './username.ts';

/** Attempts of an update that meets concurrent changes. */
const MAX_TRIES = 5;
const strict = { additionalProperties: false };
const PASSWORD_INPUT = Type.Union([
  Type.Object({ plaintext: Type.String({ maxLength: MAX_PASSWORD_CHARACTERS, description: NEW_PASSWORD, examples: ['a long enough password'] }) }, strict),
  Type.Object({ hashed: PHC }, strict),
]);
const MEMBERS = {
  realm: IgnoredName,
  password_hash: Ignored,
  change_password: Type.Boolean({ default: false }),
  roles: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { default: [], maxItems: 1_000, 'x-max-bytes': MAX_STORED_BYTES }),
  extra_claims: Type.Optional(Type.Union([EXTRA_CLAIMS, Type.Null()])),
};
/** The body names a new credential, which needs a password. The path names an existing one, which keeps its password if the body has none. */
const NEW_BODY = Type.Object({ ...MEMBERS, username: USERNAME, password_input: PASSWORD_INPUT }, strict);
const CREDENTIAL_BODY = Type.Object({ ...MEMBERS, username: IgnoredName, password_input: Type.Optional(PASSWORD_INPUT) }, strict);
type CredentialBody = Static<typeof CREDENTIAL_BODY>;

/** Each route is for administrators of the realm in its path; the one over all realms is for super admins. */
export function credentialRoutes(ctx: AuthContext): readonly Route[] {
  const directory = ctx.actors.directory.at('main');
  const all = '/realms/{realm_id}/userpass';
  const one = `${all}/{username}`;
  const auth = ['cookie'] as const;
  const permit = forRealmAdmins(ctx);
  return [
    {
      ...{ method: 'GET', path: '/admins/userpass', auth, permit: forSuperAdmins(ctx), query: PAGE_QUERY },
      handle: (request) => answerList(request, (page) => directory.listCredentials(null, page)),
    },
    { method: 'POST', path: all, auth, permit, body: NEW_BODY, handle: (request) => create(ctx, request) },
    { method: 'GET', path: all, auth, permit, query: NAME_QUERY, handle: (request) => list(ctx, request) },
    { method: 'GET', path: one, auth, permit, handle: (request) => show(ctx, request) },
    { method: 'PUT', path: one, auth, permit, body: CREDENTIAL_BODY, handle: (request) => update(ctx, request) },
    { method: 'DELETE', path: one, auth, permit, handle: (request) => remove(ctx, request) },
    { method: 'POST', path: `${one}/unlock`, auth, permit, handle: (request) => unlock(ctx, request) },
  ];
}

const realmOf = ({ params }: Request): string => params['realm_id'] as string;

async function create(ctx: AuthContext, request: Request<Static<typeof NEW_BODY>>): Promise<Response> {
  const directory = ctx.actors.directory.at('main');
  const realm = realmOf(request);
  const username = nameIn(request.body.username, 'body/username');
  requireFound(await directory.getRealm(realm), 'realm');
  // Checked before anything is compared or hashed, so that the answer for an existing name reveals nothing about its password.
  if (await directory.getCredential(realm, username)) throw new Fault('AUTH_EXISTS', { detail: `the credential ${username} already exists` });
  const input = await inputOf(ctx, realm, username, request.body, null);
  return { status: 201, body: requireFound(await directory.createCredential(input, actorOf(request)), 'realm') };
}

async function list(ctx: AuthContext, request: Request): Promise<Response> {
  const directory = ctx.actors.directory.at('main');
  requireFound(await directory.getRealm(realmOf(request)), 'realm');
  return answerNames(request, (page) => directory.listCredentials(realmOf(request), page));
}

async function show(ctx: AuthContext, request: Request): Promise<Response> {
  return { status: 200, body: requireFound(await ctx.actors.directory.at('main').getCredential(realmOf(request), nameOfPath(request)), 'credential') };
}

async function update(ctx: AuthContext, request: Request<CredentialBody>): Promise<Response> {
  return { status: 200, body: await updateCompared(ctx, request, realmOf(request), actorOf(request)) };
}

async function remove(ctx: AuthContext, request: Request): Promise<Response> {
  await ctx.actors.directory.at('main').deleteCredential(realmOf(request), nameOfPath(request), actorOf(request));
  return { status: 204 };
}

async function unlock(ctx: AuthContext, request: Request): Promise<Response> {
  if (!(await ctx.actors.directory.at('main').unlock(realmOf(request), nameOfPath(request), actorOf(request))))
    throw new Fault('NOT_FOUND', { detail: 'the credential does not exist' });
  return { status: 204 };
}

/** Compares the new password with the old one outside of the transaction, and tries again if the credential changed meanwhile. */
async function updateCompared(ctx: AuthContext, request: Request<CredentialBody>, realm: string, by: Principal): Promise<Credential> {
  const directory = ctx.actors.directory.at('main');
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const old = requireFound((await directory.findSignIn(realm, nameOfPath(request), '')).credential, 'credential');
    const input = await inputOf(ctx, realm, nameOfPath(request), request.body, old.passwordHash);
    const updated = requireFound(
      await directory.updateCredential({ ...input, comparedWith: input.passwordHash === null ? null : old.revision }, by),
      'credential',
    );
    if (updated !== 'overtaken') return updated;
  }
  throw new Fault('OVERLOADED', { detail: 'others keep changing this credential: try again later' });
}

/** @throws Fault NOT_FOUND for a path that cannot name a credential */
function nameOfPath({ params }: Request): string {
  return requireFound(usernameOf(params['username'] as string), 'credential');
}

/** Realm and name in the path take precedence over the body's. @param old hash of the current password @throws Fault BAD_REQUEST, AUTH_PASSWORD_UNFIT */
async function inputOf(ctx: AuthContext, realm: string, username: string, body: CredentialBody, old: string | null): Promise<CredentialInput> {
  const { change_password, roles, extra_claims = null } = body;
  return { realm, username, change_password, roles, extra_claims, passwordHash: await hashOf(ctx, username, body, old) };
}

async function hashOf(ctx: AuthContext, username: string, { password_input: given }: CredentialBody, old: string | null): Promise<string | null> {
  if (!given) return null;
  if ('hashed' in given) return given.hashed;
  const password = normalPassword(given.plaintext) ?? '';
  const isOld = async () => old !== null && (await ctx.actors.password.verify(old, move(passwordBytes(password))));
  const problem = newPasswordProblem(password, username) ?? ((await isOld()) ? 'it must differ from the old password' : undefined);
  if (problem) throw new Fault('AUTH_PASSWORD_UNFIT', { detail: `the new password cannot be used: ${problem}` });
  return ctx.actors.password.hash(move(passwordBytes(password)));
}
