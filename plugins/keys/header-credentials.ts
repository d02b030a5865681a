// Checks the credentials in the header of a KMIP message: they must belong to the caller, and a password counts as a sign-in with all its limits and locks.
import type { LoginView } from '../../actors/directory/api.ts';
import type { Answer, CredentialVerdict, Encoding, Endpoint, KmipApi, Principal } from '../../actors/kmip/api.ts';
import type { Remote } from '../../kernel/actor.ts';
import type { Caller } from '../../kernel/http/caller/credential.ts';
import { signInLimit } from '../../kernel/http/caller/sign-in-limit.ts';
import { sourceOf } from '../../kernel/http/connection/source.ts';
import { normalName, normalPassword } from '../../kernel/normal-form.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';
import { atOnce, callWith } from '../../kernel/runtime/mailbox/remote.ts';
import type { HeaderCredential } from '../../kmip/message/header-credentials.ts';
import type { KeysContext } from './actors.ts';
import { principalOf } from './identity.ts';

export interface Received {
  readonly kmip: Remote<KmipApi>;
  /** Moved to the actor: not usable afterwards. */
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  readonly endpoint: Endpoint;
}

/** Who has sent a message, by the certificate or session that it came with. The signal is asked for only if needed: making one for each request costs as much as an operation. */
export interface From {
  readonly caller: Caller;
  readonly address: string;
  readonly signal: AbortSignal;
}

/** One text for every refusal after the user was looked up, so that it does not reveal what was wrong. */
const REFUSED = 'the credentials in the header are refused';
const SERVED = 'UsernameAndPassword';
/** The key server checks those that it has issued. */
const TICKET = 'Ticket';

/** Answers a message. Nearly all messages have no credentials in their header, and need only one call of the actor. */
export function serveMessage(ctx: KeysContext, { kmip, bytes, encoding, endpoint }: Received, from: From): Answer | Promise<Answer> {
  const principal = principalOf(ctx.config, from.caller, from.address);
  const served = atOnce(kmip).serve(move(bytes), encoding, endpoint, principal);
  if (!(served instanceof Promise) && !served.credentials) return served;
  return proven(ctx, { kmip, encoding, endpoint }, from, principal, served);
}

/** The answer, if it does not ask for a verdict on credentials; otherwise the answer to the message with the verdict. */
async function proven(
  ctx: KeysContext,
  { kmip, encoding, endpoint }: Omit<Received, 'bytes'>,
  from: From,
  principal: Principal,
  served: Answer | Promise<Answer>,
): Promise<Answer> {
  const answer = await served;
  if (!answer.credentials) return started(ctx, answer);
  const verdict = await judge(ctx, answer.credentials, from.caller, from.address, from.signal);
  return started(ctx, await kmip.serve(move(answer.body as Uint8Array), encoding, endpoint, principal, verdict));
}

/** Has what was submitted run. If that fails, the server soon looks for it anyway. */
function started({ actors }: KeysContext, answer: Answer): Answer {
  if (answer.submitted) actors.kmip.runSubmitted().catch(() => {});
  return answer;
}

async function judge(
  ctx: KeysContext,
  credentials: readonly HeaderCredential[],
  caller: Caller,
  address: string,
  signal: AbortSignal,
): Promise<CredentialVerdict> {
  const [credential, ...more] = credentials as [HeaderCredential, ...HeaderCredential[]];
  try {
    // Appliances that send what belongs to somebody else send no tickets.
    if (credential.type === TICKET && more.length === 0) return { isTicket: true };
    if (ctx.config.header_credentials === 'ignored') return {};
    const other = credentials.find(({ type }) => type !== SERVED && type !== TICKET);
    if (other) return await refuse(ctx, caller, address, `credentials of type ${other.type} are not supported in the header: use ${SERVED} or ${TICKET}`);
    if (more.length > 0) return await refuse(ctx, caller, address, 'the header holds more than one credential: send one');
    const identity = passwordIdentity(ctx, caller);
    // Only the caller is looked up: any other name is refused in the same words and time, whether or not such a user exists.
    if (!identity || !isOwn(credential.username, identity))
      return await refuse(ctx, caller, address, 'the credentials in the header must belong to the user of the certificate or session');
    return await prove(ctx, identity, credential, address, signal);
  } finally {
    for (const { password } of credentials) password?.fill(0);
  }
}

interface Identity {
  readonly realm: string;
  readonly username: string;
}

/**
 * The user whose password the caller may send: the user of a session that began with a password; for a certificate, the user of the same name in
 * `[keys] realm`, because the key server treats both as one.
 */
function passwordIdentity({ config }: KeysContext, { credential, realm, username, scheme }: Caller): Identity | undefined {
  if (credential === 'cookie') return scheme === 'up' ? { realm, username } : undefined;
  if (credential !== 'certificate' || config.realm === '') return undefined;
  const name = normalName(username);
  return name === undefined || /\p{Cc}/u.test(name) ? undefined : { realm: config.realm, username: name };
}

/** A Username is `user` or `realm/user`. */
function isOwn(given: string | undefined, { realm, username }: Identity): boolean {
  const name = normalName(given ?? '');
  return name === username || name === `${realm}/${username}`;
}

/** Like any sign-in, this is subject to the limit of its address, costs one password hash, and respects locks and the second factor. */
async function prove(
  ctx: KeysContext,
  { realm, username }: Identity,
  { password }: HeaderCredential,
  address: string,
  signal: AbortSignal,
): Promise<CredentialVerdict> {
  if (!signInLimit(ctx.clock)(address)) return { refusal: 'too many sign-ins from this address: wait and try again' };
  const directory = ctx.actors.directory.at('main');
  const source = sourceOf(address);
  const found = await directory.findSignIn(realm, username, source);
  const usable = found.realm?.auth_params.username_password_params?.enabled === false ? null : found.credential;
  const isRight = await callWith(ctx.actors.password, { signal }).verify(usable?.passwordHash ?? null, move(composePassword(password)));
  const row = { event: 'login', realm: found.realm ? realm : undefined, actor: found.credential ? username : 'unknown', scheme: 'up', source } as const;
  if (!isRight || !usable || !isOpen(found)) {
    await directory.refuse({ ...row, outcome: 'refused', reason: 'password' }, 'password', username, source);
    return { refusal: REFUSED };
  }
  const isComplete = !usable.changePassword && !isTooOld(ctx, found);
  // `complete` checks the locks once more, and refuses users with a second factor, because a header cannot carry its code.
  if (isComplete && (await directory.complete({ realm, username, source, revision: usable.revision, code: null, passwordHash: null })) !== null) return {};
  await directory.refuse(
    { ...row, outcome: 'refused', reason: isComplete ? 'the account changed meanwhile, or a second factor is needed' : 'ChangePassword' },
    null,
    username,
    source,
  );
  return { refusal: REFUSED };
}

const isOpen = ({ realm, opens, locked }: LoginView): boolean => realm !== null && opens && !locked.includes('password');

function isTooOld({ clock }: KeysContext, { realm, credential }: LoginView): boolean {
  const maxAge = realm?.password_max_age_seconds ?? 0;
  if (maxAge === 0 || realm?.auth_params.username_password_params?.allow_expired_passwords === true) return false;
  return clock.now() - (credential?.passwordSetAt ?? 0) > maxAge * 1000;
}

/** The form in which passwords are hashed: UTF-8 of NFC. Bytes that are not a valid password are compared as an empty one. */
function composePassword(password: Uint8Array | undefined): Uint8Array {
  const text = normalPassword(Buffer.from(password ?? []).toString()) ?? '';
  return new Uint8Array(Buffer.from(text));
}

/** Refuses without looking up a user. */
async function refuse(ctx: KeysContext, { realm }: Caller, address: string, refusal: string): Promise<CredentialVerdict> {
  const row = {
    event: 'login',
    outcome: 'refused',
    realm: realm === '' ? undefined : realm,
    actor: 'unknown',
    source: sourceOf(address),
    reason: refusal,
  } as const;
  await ctx.actors.directory.at('main').record(row);
  return { refusal };
}
