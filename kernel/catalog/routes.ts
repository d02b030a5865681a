// Collects the routes of the plugins and checks that they do not clash with each other or with the kernel.
import { ConfigError } from '../config/config-error.ts';
import type { Contexts } from '../context.ts';
import { schemaProblems } from '../http/body/schema-problems.ts';
import { OPENAPI_PATH } from '../http/openapi/openapi.ts';
import { PROBE_PATHS } from '../http/probes.ts';
import type { Route } from '../http/route.ts';
import type { AnyPlugin } from '../plugin.ts';

/**
 * @param external plugins whose schemas are checked too: tests check those of the built-in ones, which would take time at each start
 * @returns the routes of all plugins
 * @throws ConfigError for each malformed route, each route without `auth`, and each path that is used twice
 */
export function routesOf(contexts: Contexts, external: readonly AnyPlugin[] = []): readonly Route[] {
  const sets = [...contexts].map(([plugin, ctx]) => ({
    owner: plugin.name,
    routes: plugin.routes?.(ctx) ?? [],
    isExternal: external.includes(plugin),
  }));
  const problems = sets.flatMap(({ owner, routes, isExternal }) =>
    routes.flatMap((route) => {
      const found = [...findMalformed(route), ...(isExternal ? schemaProblems(route) : [])];
      return found.map((problem) => `plugin ${owner}: route ${route.method} ${route.path}: ${problem}`);
    }),
  );
  const taken = new Map([...PROBE_PATHS, OPENAPI_PATH].map((path) => [path, 'the kernel']));
  for (const { owner, routes } of sets) {
    for (const { method, path } of routes) {
      // A path of the kernel is reserved for all methods. Paths of plugins clash if method and shape are the same.
      const shape = `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`;
      const other = taken.get(path) ?? taken.get(shape);
      if (other !== undefined) problems.push(`plugin ${owner}: route ${method} ${path}: is already used by ${other}; choose another path`);
      taken.set(shape, `plugin ${owner}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return sets.flatMap(({ routes }) => routes);
}

function findMalformed({ method, path, auth, handle }: Route): string[] {
  const problems: string[] = [];
  if (!/^\/[^\s?#]*$/.test(path)) problems.push('the path must begin with / and contain no spaces, ? or #');
  if (!['GET', 'POST', 'PUT', 'DELETE'].includes(method)) problems.push('the method must be GET, POST, PUT or DELETE');
  if (auth !== 'none' && !(Array.isArray(auth) && auth.length > 0)) problems.push('auth must be a list of kinds of credential, or "none"');
  if (typeof handle !== 'function') problems.push('handle must be a function');
  return problems;
}
