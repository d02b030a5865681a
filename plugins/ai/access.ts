// Who may call the routes of the AI runner: whoever the server knows, and the users of the identity providers in [[ai.auth]].
import type { Authenticators } from '../../kernel/http/caller/credential.ts';
import { providerAuthenticator } from '../../kernel/http/caller/identity-provider.ts';
import type { Route } from '../../kernel/http/route.ts';
import type { AiContext } from './actors.ts';

export type Access = Pick<Route, 'auth' | 'authenticators'>;

/** They belong to the routes of the AI runner, so that no other route accepts their tokens. */
export function aiAuthenticators(ctx: AiContext): Authenticators {
  const { auth: providers } = ctx.config;
  if (providers.length === 0) return {};
  const verify: Parameters<typeof providerAuthenticator>[2] = (request) => ctx.actors.identity.at('main').verifyJwt(request);
  const users = {
    // A provider of another plugin may have the same name.
    origin: ({ name }: (typeof providers)[number]) => `ai:${name}`,
    claims: ({ roles_claim: claim }: (typeof providers)[number], claims: Readonly<Record<string, unknown>>) => ({
      roles: claim === '' ? [] : rolesIn(claims[claim]),
    }),
  };
  return { authorization: providerAuthenticator(providers, users, verify, ctx.log) };
}

/** A text is one role, not several: providers that list them in one text disagree about what separates them. */
function rolesIn(value: unknown): readonly string[] {
  return [value].flat().filter((role) => typeof role === 'string');
}
