// How a login ends, whatever was presented: with a proven credential, with a step that the client takes next, or refused.
import type { Realm } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Request } from '../../kernel/http/route.ts';
import { sourceOf } from '../../kernel/http/source.ts';
import type { AuthContext } from './actors.ts';
import { isRealmId } from './realms.ts';

interface LoginBody {
  readonly totp_code?: string | null;
  readonly new_password?: string | null;
}

export type LoginRequest = Request<LoginBody | undefined>;

/** What a proven credential makes a session of. */
export interface Proven {
  readonly realm: Realm;
  /** Account of the realm. */
  readonly provenRealm: string | null;
  readonly username: string;
  /** Scheme code. */
  readonly scheme: 'up' | 'jwt' | 'cc';
  /** Revision of the credential; null for schemes without one. */
  readonly revision: number | null;
  readonly roles: readonly string[];
  readonly extraClaims: Readonly<Record<string, unknown>>;
}

/** A login ends with a proven credential, or with a step that the client has to take next. */
export type LoginEnd = Proven | 'TotpRequired' | 'ChangePassword';

/** @throws Fault AUTH_DENIED, always, after the row of the refusal is written */
export async function refuse(ctx: AuthContext, { query, address }: LoginRequest, reason: string, scheme?: string): Promise<never> {
  // People type passwords into the wrong field: what cannot be the id of a realm is not stored.
  const realm = isRealmId(query['realm'] as string) ? query['realm'] : undefined;
  await ctx.actors.directory.at('main').record({ event: 'login', outcome: 'refused', realm, actor: 'unknown', scheme, source: sourceOf(address), reason });
  throw new Fault('AUTH_DENIED');
}
