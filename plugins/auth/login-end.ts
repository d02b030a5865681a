// The outcomes of a login with any kind of credential: a proven identity, a next step for the client, or a refusal.
import type { Realm } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { sourceOf } from '../../kernel/http/connection/source.ts';
import type { Asking, Request } from '../../kernel/http/route.ts';
import { isRealmId } from '../../kernel/realm-id.ts';
import type { AuthContext } from './actors.ts';

interface LoginBody {
  readonly totp_code?: string | null;
  readonly new_password?: string | null;
}

export type LoginRequest = Request<LoginBody | undefined>;

/** A proven identity, from which the session is created. */
export interface Proven {
  readonly realm: Realm;
  /** The realm's account. */
  readonly provenRealm: string | null;
  readonly username: string;
  /** Scheme code. */
  readonly scheme: 'up' | 'jwt' | 'cc';
  /** Revision of the credential; null for schemes without one. */
  readonly revision: number | null;
  readonly roles: readonly string[];
  readonly extraClaims: Readonly<Record<string, unknown>>;
}

/** A proven identity, or the step that the client must take next. */
export type LoginEnd = Proven | 'TotpRequired' | 'ChangePassword';

/** Writes the audit row of a refusal. @throws Fault AUTH_DENIED, always */
export async function refuse(
  ctx: AuthContext,
  { query, address }: Pick<LoginRequest, 'address'> & Pick<Asking, 'query'>,
  reason: string,
  scheme?: string,
): Promise<never> {
  // People type passwords into the wrong field: a text that cannot be a realm's id is not stored.
  const { realm: asked } = query;
  const realm = typeof asked === 'string' && isRealmId(asked) ? asked : undefined;
  await ctx.actors.directory.at('main').record({ event: 'login', outcome: 'refused', realm, actor: 'unknown', scheme, source: sourceOf(address), reason });
  throw new Fault('AUTH_DENIED');
}
