// Lets a TLS server stand behind proxies that pass connections through: each of theirs begins with a header that names the client.
import type { Socket } from 'node:net';
import { isIPv6 } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import { type AddressList, isListed } from '../../address-list.ts';
import type { Log } from '../../log/log-entry.ts';
import { keepKey, keyOf } from './connection-key.ts';
import { type Endpoint, readProxyHeader } from './proxy-header.ts';

/** A proxy sends its header at once. */
const HEADER_MS = 5_000;

type Connected = (socket: Socket) => void;

/**
 * Call it after every other listener of connections was added: they see the client's address and nothing of the header.
 * Connections of other addresses begin with TLS, as without proxies; what they claim in a header would be a claim of anybody.
 */
export function expectProxies(server: Server, proxies: AddressList, log: Log): void {
  const listeners = server.listeners('connection') as Connected[];
  server.removeAllListeners('connection');
  const clients = new Map<string, Endpoint>();
  server.on('connection', (socket: Socket) => {
    const begin = () => {
      for (const each of listeners) each.call(server, socket);
    };
    if (!isListed(proxies, socket.remoteAddress ?? '')) return begin();
    const key = keyOf(socket);
    readHeader(socket, (client) => {
      if (client === 'invalid') {
        log.warn({ proxy: socket.remoteAddress }, 'a connection of a proxy did not begin with a PROXY header, and was closed');
        return socket.destroy();
      }
      if (client) {
        clients.set(key, client);
        socket.on('close', () => clients.delete(key));
        appear(socket, client);
      }
      begin();
    });
  });
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const client = clients.get(keyOf(socket));
    if (client) appear(socket, client);
  });
}

function appear(socket: Socket, { address, port }: Endpoint): void {
  keepKey(socket);
  Object.defineProperties(socket, {
    remoteAddress: { value: address },
    remotePort: { value: port },
    remoteFamily: { value: isIPv6(address) ? 'IPv6' : 'IPv4' },
  });
}

/** What arrived behind the header goes back to the socket, for TLS. */
function readHeader(socket: Socket, done: (client: Endpoint | undefined | 'invalid') => void): void {
  let bytes = Buffer.alloc(0);
  const drop = () => socket.destroy();
  const timer = setTimeout(drop, HEADER_MS);
  const leave = () => {
    clearTimeout(timer);
    socket.off('error', drop);
    socket.off('close', leave);
    socket.off('readable', read);
  };
  const read = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    bytes = Buffer.concat([bytes, chunk]);
    const header = readProxyHeader(bytes);
    if (header === 'more') return;
    leave();
    if (header === 'invalid') return done('invalid');
    const rest = bytes.subarray(header.length);
    if (rest.length > 0) socket.unshift(rest);
    done(header.client);
  };
  socket.on('error', drop);
  socket.on('close', leave);
  socket.on('readable', read);
}
