// GET /version/build: what the server was built from and runs on, for administrators. Everybody else sees the version only.
import { readBuildFacts } from '../../kernel/build-facts.ts';
import type { Route } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import type { AuthContext } from './actors.ts';
import { forAdmins } from './rights.ts';

const known = Type.Union([Type.String(), Type.Null()]);

export const BUILD = Type.Object({
  version: Type.String(),
  package: Type.Enum(['npm', 'debian', 'oci', 'clone']),
  commit: known,
  changed: Type.Boolean({ description: 'files differed from the commit' }),
  source_time: known,
  ...{ node: Type.String(), openssl: Type.String(), sqlite: Type.String(), v8: Type.String() },
  ...{ platform: Type.String(), arch: Type.String() },
});

export function buildRoute(ctx: AuthContext): Route {
  const { node, openssl = '', sqlite = '', v8 } = process.versions;
  const { platform, arch } = process;
  const build = { version: ctx.version, ...readBuildFacts(), node, openssl, sqlite, v8, platform, arch };
  return {
    method: 'GET',
    path: '/version/build',
    auth: ['cookie'],
    permit: forAdmins(ctx),
    handle: () => ({ status: 200, body: build }),
  };
}
