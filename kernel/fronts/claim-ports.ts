// Checks the ports of a server before several fronts share them: with SO_REUSEPORT, another program that shares them too would not be noticed.
import { createServer } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { ConfigError } from '../config/load.ts';
import type { KernelConfig } from '../config/sections.ts';
import { requireClients } from '../listener/listen.ts';
import type { Listener } from '../listener/listener.ts';

/** Where several sockets can listen on one port and the system gives each its part of the connections. */
const PLATFORMS: ReadonlySet<string> = new Set(['linux', 'freebsd', 'dragonfly', 'sunos', 'aix']);

export function canSharePorts(): boolean {
  return PLATFORMS.has(process.platform);
}

/** @throws ConfigError if one of the ports cannot be opened, or a listener requires what is not configured */
export async function claimPorts({ host, port }: KernelConfig['http'], listeners: readonly Listener[], tls: TlsOptions): Promise<void> {
  await claim('http', host, port);
  for (const listener of listeners) {
    requireClients(listener, tls);
    await claim(listener.setting, listener.host, listener.port);
  }
}

async function claim(setting: string, host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => reject(new ConfigError([`${setting}: cannot listen on ${host} port ${port} (${code})`])));
    server.listen({ host, port }, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
