// Sign-in by the client certificate of the TLS connection; its common name is the user name.
import { sourceOf } from '../../kernel/http/source.ts';
import type { AuthContext } from './actors.ts';
import { type LoginEnd, type LoginRequest, refuse } from './login-end.ts';

/** `certificate_realms` names where it is allowed, `*` for all but `_`; into `_` only a name that an admin record lists for it. */
export async function proveCertificate(ctx: AuthContext, request: LoginRequest, commonName: string): Promise<LoginEnd> {
  const id = request.query['realm'] as string;
  const { realm, realmAccount: provenRealm } = await ctx.actors.directory.at('main').findSignIn(id, commonName, sourceOf(request.address));
  const realms = ctx.config.certificate_realms;
  const opens = await ctx.actors.directory.at('main').opensTo({ realm: id, username: commonName, scheme: 'cc' });
  const allowed = id === '_' ? opens : realms.includes('*') || realms.includes(id);
  if (!realm || !allowed) return refuse(ctx, request, 'certificate not accepted here', 'cc');
  return { realm, provenRealm, username: commonName, scheme: 'cc', revision: null, roles: [], extraClaims: {} };
}
