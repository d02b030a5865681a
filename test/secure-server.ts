// A whole server for a test that asks for client certificates, the authority that makes them, and clients that show them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { Agent } from 'undici';
import { CLIENT_AUTH, type Made, type MakeOptions, makeCertificate, SERVER_AUTH } from './certificates.ts';
import { type Ask, asker, startServer, type TestServer, type TestServerOptions, temporaryFolder } from './server.ts';

export interface SecureServer extends TestServer {
  readonly authority: Made;
  /** A certificate of the authority that the server trusts. */
  client(name: string, options?: MakeOptions): Promise<Made>;
  /** Asks as the holder of a certificate, on connections of its own; without one as one that shows none. */
  as(made?: Made): Ask;
  /** A TLS connection to a port of the server, as the holder of a certificate. */
  dial(port: number, made?: Made, options?: ConnectionOptions): TLSSocket;
  /** Of the KMIP listener, which the configuration enables. */
  kmipPort(): number;
  /** Writes a file next to the configuration. @returns its path */
  file(name: string, text: string): string;
}

const KMIP_LISTENER = 'KMIP listener on ';

/** @param tls more keys of the table [http.tls] */
export async function startSecureServer(
  options: TestServerOptions = {},
  tls: (authority: Made, file: SecureServer['file']) => Promise<string> | string = () => '',
) {
  const folder = temporaryFolder();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const authority = await makeCertificate('CN=ca');
  const own = await makeCertificate('CN=server', { issuer: authority, usage: SERVER_AUTH, names: ['127.0.0.1'] });
  const paths = { cert: file('server.pem', own.cert), key: file('server.key', own.key), client_ca: file('ca.pem', authority.cert) };
  const lines = Object.entries(paths).map(([key, path]) => `${key} = "${path}"`);
  // What the clients of the tests trust is read from here.
  const dataDir = join(folder, 'data');
  mkdirSync(join(dataDir, 'tls'), { recursive: true, mode: 0o700 });
  writeFileSync(join(dataDir, 'tls', 'cert.pem'), authority.cert);
  const config = `${options.config ?? ''}\n[http.tls]\n${lines.join('\n')}\n${await tls(authority, file)}\n`;
  const server = await startServer({ ...options, dataDir, config });
  const agents: Agent[] = [];
  const sockets = new Set<TLSSocket>();
  return {
    ...server,
    authority,
    file,
    kmipPort() {
      const announced = server.announcements.find((text) => text.startsWith(KMIP_LISTENER));
      if (announced === undefined) throw new Error('the server has no KMIP listener');
      return Number(new URL(announced.slice(KMIP_LISTENER.length)).port);
    },
    client: (name: string, more: MakeOptions = {}) => makeCertificate(`CN=${name}`, { issuer: authority, usage: CLIENT_AUTH, ...more }),
    as(made?: Made) {
      const agent = new Agent({ connect: { ca: authority.cert, ...(made ? { cert: made.cert, key: made.key } : {}) } });
      agents.push(agent);
      return asker(server.address, agent);
    },
    dial(port: number, made?: Made, more: ConnectionOptions = {}) {
      const socket = connect({ host: '127.0.0.1', port, ca: authority.cert, ...(made ? { cert: made.cert, key: made.key } : {}), ...more });
      sockets.add(socket);
      return socket;
    },
    async end() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(agents.map((agent) => agent.close()));
      await server.end();
      rmSync(folder, { recursive: true, force: true });
    },
  } satisfies SecureServer;
}
