// The routes /realms/{realm_id}/totp/...: users enrol and remove their own second factor; admins do so for others.
import { Secret, TOTP } from 'otpauth';
import type { Static } from 'typebox';
import type { TotpOutcome } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { requireCaller } from '../../kernel/http/caller/credential.ts';
import { nameIn } from '../../kernel/http/name.ts';
import type { Asking, Request, Route } from '../../kernel/http/route.ts';
import { MAX_NAME_CHARACTERS } from '../../kernel/normal-form.ts';
import Type from '../../kernel/type.ts';
import type { AuthContext } from './actors.ts';
import { actorOf, requireFound, rightsOf } from './rights.ts';
import { usernameOf } from './username.ts';

const strict = { additionalProperties: false };
const text = (maxLength: number) => Type.String({ maxLength });
const code = Type.Optional(Type.Union([text(16), Type.Null()]));
const GENERATE_BODY = Type.Object({ username: text(MAX_NAME_CHARACTERS), issuer: Type.Optional(text(255)) }, strict);
/** 16 to 64 bytes, five bits per character. */
const SECRET = Type.String({ maxLength: 256, pattern: '^[A-Za-z2-7]{26,103}=*$', description: 'base32 of 16 to 64 bytes' });
const VERIFY_BODY = Type.Object(
  { username: text(MAX_NAME_CHARACTERS), token: text(16), secret: SECRET, issuer: Type.Optional(text(255)), totp_code: code },
  strict,
);
const REMOVE_BODY = Type.Object({ totp_code: code }, strict);

/** 160 bits, RFC 4226 section 4. */
const SECRET_BYTES = 20;
const DIGITS = 6;

export function totpRoutes(ctx: AuthContext): readonly Route[] {
  const directory = ctx.actors.directory.at('main');
  const path = '/realms/{realm_id}/totp';
  // The body names the user: here a caller is refused who may act for nobody of the realm.
  const ofRealm: Route['permit'] = async (asking) => void (await target(ctx, asking, requireCaller(asking).username));
  return [
    {
      method: 'POST',
      path: `${path}/generate`,
      auth: ['cookie'],
      permit: ofRealm,
      body: GENERATE_BODY,
      handle: async (request: Request<Static<typeof GENERATE_BODY>>) => {
        const { realm, username } = await target(ctx, request, nameIn(request.body.username, 'body/username'));
        const { auth_params: params } = requireFound(await directory.getRealm(realm), 'realm');
        requireFound(await directory.getCredential(realm, username), 'credential');
        const { algorithm = 'SHA1', step = 30 } = params.totp_params ?? {};
        const secret = new Secret({ size: SECRET_BYTES });
        // A colon separates issuer and account in the label, so the issuer must not contain one.
        const issuer = (request.body.issuer || realm).replaceAll(':', ' ');
        const totp = new TOTP({ issuer, label: username, secret, algorithm, digits: DIGITS, period: step });
        return { status: 200, body: { secret_base32: secret.base32, otpauth_url: totp.toString() } };
      },
    },
    {
      method: 'POST',
      path: `${path}/verify`,
      auth: ['cookie'],
      permit: ofRealm,
      body: VERIFY_BODY,
      handle: async (request: Request<Static<typeof VERIFY_BODY>>) => {
        const { realm, username } = await target(ctx, request, nameIn(request.body.username, 'body/username'));
        const secret = request.body.secret.toUpperCase();
        const enrolment = { realm, username, secret, code: request.body.token, currentCode: request.body.totp_code ?? undefined };
        requireDone(await directory.enableTotp(enrolment, actorOf(request)));
        return { status: 200 };
      },
    },
    {
      method: 'DELETE',
      path: `${path}/{username}`,
      auth: ['cookie'],
      permit: async (asking) => void (await target(ctx, asking, userIn(asking))),
      body: REMOVE_BODY,
      bodyOptional: true,
      handle: async (request: Request<Static<typeof REMOVE_BODY> | undefined>) => {
        const code = request.body?.totp_code ?? undefined;
        const outcome = await directory.disableTotp(request.params['realm_id'] as string, userIn(request), code, actorOf(request));
        requireDone(outcome === 'missing' ? 'done' : outcome);
        return { status: 200 };
      },
    },
  ];
}

/** The user that a request is about. Users act for themselves; administrators of the realm, for all of its users. */
async function target(ctx: AuthContext, asking: Asking, username: string): Promise<{ realm: string; username: string }> {
  const realm = asking.params['realm_id'] as string;
  const caller = requireCaller(asking);
  const { administers } = await rightsOf(ctx, caller);
  const own = caller.realm === realm && caller.username === username && caller.scheme === 'up';
  if (!own && !administers(realm)) throw new Fault('FORBIDDEN');
  return { realm, username };
}

/** The user in the path. */
function userIn({ params }: Pick<Asking, 'params'>): string {
  return requireFound(usernameOf(params['username'] as string), 'credential');
}

/** @throws Fault NOT_FOUND, FORBIDDEN, AUTH_CODE_INVALID */
function requireDone(outcome: TotpOutcome): void {
  if (outcome === 'done') return;
  if (outcome === 'missing') throw new Fault('NOT_FOUND', { detail: 'the credential does not exist' });
  if (outcome === 'unproven') throw new Fault('FORBIDDEN', { detail: 'totp_code must hold a code of the current second factor that was not used before' });
  throw new Fault('AUTH_CODE_INVALID');
}
