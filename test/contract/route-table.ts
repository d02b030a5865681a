// The table of all routes as the built-in plugins give them to the kernel, and a running server of them.
import type { Route } from '../../kernel/http/route.ts';
import type { AnyPlugin } from '../../kernel/plugin.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { startServer, type TestServer, type TestServerOptions } from '../server.ts';

export interface RoutedServer extends TestServer {
  readonly routes: readonly Route[];
}

/** The built-in plugins for a server; the table is there once it has started. */
export function routedPlugins(): { readonly plugins: readonly AnyPlugin[]; readonly routes: readonly Route[] } {
  const routes: Route[] = [];
  const noting = (plugin: AnyPlugin): AnyPlugin => ({
    ...plugin,
    routes(ctx) {
      const own = plugin.routes?.(ctx) ?? [];
      routes.push(...own);
      return own;
    },
  });
  return { plugins: BUILT_IN.map(noting), routes };
}

export async function startRoutedServer(options: TestServerOptions = {}): Promise<RoutedServer> {
  const { plugins, routes } = routedPlugins();
  return { ...(await startServer({ ...options, plugins })), routes };
}

export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;

/** The path with a value for each parameter. @param value by the parameter's name */
export function filled(path: string, value: (name: string) => string): string {
  return path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(value(name)));
}
