// Sign-in by the client certificate of the TLS connection; its common name is the user name.
import { sourceOf } from '../../kernel/http/connection/source.ts';
import { normalName } from '../../kernel/normal-form.ts';
import type { AuthContext } from './actors.ts';
import { type LoginEnd, type LoginRequest, refuse } from './login-end.ts';

/** Allowed in the realms of `certificate_realms`; `*` stands for all except `_`. Into `_`, only names that an admin record lists for certificates may sign in. */
export async function proveCertificate(ctx: AuthContext, request: LoginRequest, commonName: string): Promise<LoginEnd> {
  const id = request.query['realm'] as string;
  const username = normalName(commonName);
  if (username === undefined) return refuse(ctx, request, 'the common name is not a valid user name', 'cc');
  const { realm, realmAccount: provenRealm } = await ctx.actors.directory.at('main').findSignIn(id, username, sourceOf(request.address));
  const realms = ctx.config.certificate_realms;
  const opens = await ctx.actors.directory.at('main').opensTo({ realm: id, username, scheme: 'cc' });
  const allowed = id === '_' ? opens : realms.includes('*') || realms.includes(id);
  if (!realm || !allowed) return refuse(ctx, request, 'certificate not accepted here', 'cc');
  return { realm, provenRealm, username, scheme: 'cc', revision: null, roles: [], extraClaims: {} };
}
