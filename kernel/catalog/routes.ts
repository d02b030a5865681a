// The routes that the plugins declare, held against each other and against the paths of the kernel.
import { ConfigError } from '../config/load.ts';
import type { Contexts } from '../context.ts';
import { OPENAPI_PATH } from '../http/openapi.ts';
import { PROBE_PATHS } from '../http/probes.ts';
import type { Route } from '../http/route.ts';

/** The routes of all plugins. @throws ConfigError naming each that is malformed, silent about authentication, or taken */
export function routesOf(contexts: Contexts): readonly Route[] {
  const sets = [...contexts].map(([plugin, ctx]) => ({ owner: plugin.name, routes: plugin.routes?.(ctx) ?? [] }));
  const problems = sets.flatMap(({ owner, routes }) =>
    routes.flatMap((route) => malformed(route).map((problem) => `plugin ${owner}: route ${route.method} ${route.path}: ${problem}`)),
  );
  const taken = new Map([...PROBE_PATHS, OPENAPI_PATH].map((path) => [path, 'the kernel']));
  for (const { owner, routes } of sets) {
    for (const { method, path } of routes) {
      // The kernel's paths are its own for every method; paths of plugins clash by method and shape.
      const shape = `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`;
      const other = taken.get(path) ?? taken.get(shape);
      if (other !== undefined) problems.push(`plugin ${owner}: route ${method} ${path}: belongs to ${other}`);
      taken.set(shape, `plugin ${owner}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return sets.flatMap(({ routes }) => routes);
}

function malformed({ method, path, auth, handle }: Route): string[] {
  const problems: string[] = [];
  if (!/^\/[^\s?#]*$/.test(path)) problems.push('the path is malformed');
  if (!['GET', 'POST', 'PUT', 'DELETE'].includes(method)) problems.push('the method must be GET, POST, PUT or DELETE');
  if (auth !== 'none' && !(Array.isArray(auth) && auth.length > 0)) problems.push('auth must name credentials, or say "none"');
  if (typeof handle !== 'function') problems.push('it has no handler');
  return problems;
}
