// A server that asks for client certificates and one caller with such a certificate, from before the first test of a file until after its last.
import { Agent } from 'undici';
import { test } from 'uvu';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import type { TestServerOptions } from '../../server.ts';
import { KmipClient, type Speech } from './kmip-client.ts';

/** The server is there, and may be asked for, while tests run. */
interface Caller {
  readonly server: SecureServer;
  readonly address: string;
  /** Connections that show the caller's certificate. */
  readonly agent: Agent;
  /** Can be made before the server is there. */
  client(speech: Speech): KmipClient;
}

/** Call it once in a test file, outside its tests. @param name common name of the certificate */
export function caller(name: string, options: TestServerOptions = {}): Caller {
  let server: SecureServer;
  let agent: Agent;
  test.before(async () => {
    server = await startSecureServer(options);
    const { cert, key } = await server.client(name);
    agent = new Agent({ connect: { ca: server.authority.cert, cert, key } });
  });
  test.after(async () => {
    await agent?.close();
    await server?.end();
  });
  const here: Caller = {
    get server() {
      return server;
    },
    get agent() {
      return agent;
    },
    get address() {
      return server.address;
    },
    client: (speech) => new KmipClient(here, speech),
  };
  return here;
}
