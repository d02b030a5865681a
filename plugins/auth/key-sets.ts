// The routes /.well-known/...: the public keys that verify the server's signatures.
import { Fault } from '../../kernel/fault.ts';
import type { Route } from '../../kernel/http/route.ts';
import type { AuthContext } from './actors.ts';

/** Short enough for clients to see a new key before the server signs with it only. */
const CACHE = { 'cache-control': 'public, max-age=300' };

export function keySetRoutes(ctx: AuthContext): readonly Route[] {
  const directory = ctx.actors.directory.at('main');
  const { publish_session_jwks: publishes, certificate_signing: signs } = ctx.config;
  return [
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      auth: 'none',
      handle: async () => {
        if (!publishes) throw new Fault('NOT_FOUND');
        return { status: 200, body: { keys: await directory.publicKeys('session') }, headers: CACHE };
      },
    },
    {
      method: 'GET',
      path: '/.well-known/certificate-jwks.json',
      auth: 'none',
      handle: async () => {
        if (!signs) throw new Fault('NOT_FOUND');
        return { status: 200, body: { keys: await directory.publicKeys('certificate') }, headers: CACHE };
      },
    },
  ];
}
