// Checks the ports of a server before several fronts share them: with SO_REUSEPORT, another program that shares them too would not be noticed.
import { createServer, type Server } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { KernelConfig } from '../config/sections.ts';
import { listenFailure } from '../listener/listen-failure.ts';
import { type Listener, requireClients, requireOwnPort } from '../listener/listener.ts';

/** Where several sockets can listen on one port and the system gives each its part of the connections. */
const PLATFORMS: ReadonlySet<string> = new Set(['linux', 'freebsd', 'dragonfly', 'sunos', 'aix']);

export function canSharePorts(): boolean {
  return PLATFORMS.has(process.platform);
}

/** @throws ConfigError if one of the ports cannot be opened, also because another of them is the same, or a listener requires what is not configured */
export async function claimPorts(http: KernelConfig['http'], listeners: readonly Listener[], tls: TlsOptions): Promise<void> {
  const claimed: Server[] = [];
  try {
    claimed.push(await claim('http', http.host, http.port));
    for (const listener of listeners) {
      requireClients(listener, tls.requestCert === true);
      requireOwnPort(listener, http);
      claimed.push(await claim(listener.setting, listener.host, listener.port));
    }
  } finally {
    await Promise.all(claimed.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

async function claim(setting: string, host: string, port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => reject(listenFailure(setting, `${host} port ${port}`, String(code))));
    server.listen({ host, port }, resolve);
  });
  return server;
}
