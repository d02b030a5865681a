// Tells which TLS socket and which TCP socket below it are the two ends of one connection, also where a proxy has named another client.
import type { Socket } from 'node:net';

/** Of sockets that show the address of the client behind a proxy: it may have one connection by each of several proxies from one port of its own. */
const real = new WeakMap<object, string>();

/** Both ends: a peer can use one port of its own towards several addresses of the server. */
export function keyOf(socket: Socket): string {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  return real.get(socket) ?? `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}

/** Call it before the socket shows another address than its own. */
export function keepKey(socket: Socket): void {
  real.set(socket, keyOf(socket));
}
