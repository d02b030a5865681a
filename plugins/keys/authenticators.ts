// Credentials that the key server accepts in addition to those of the authentication service: client certificates, and JWTs of its identity providers.
import type { Authenticator, Authenticators } from '../../kernel/http/caller/credential.ts';
import { providerAuthenticator } from '../../kernel/http/caller/identity-provider.ts';
import { providerId } from '../../kernel/store/account-name.ts';
import type { KeysContext } from './actors.ts';

export function keysAuthenticators(ctx: KeysContext): Authenticators {
  const { identity_providers: providers } = ctx.config;
  if (providers.length === 0) return { certificate };
  const verify: Parameters<typeof providerAuthenticator>[2] = (request) => ctx.actors.identity.at('main').verifyJwt(request);
  return { certificate, authorization: providerAuthenticator(providers, { origin: ({ name }) => name, account: providerId }, verify, ctx.log) };
}

const certificate: Authenticator = async ({ certificate: shown }) =>
  shown && { credential: 'certificate', realm: '', username: shown.commonName, scheme: 'cc' };
