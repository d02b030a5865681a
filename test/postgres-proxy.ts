// Stands between a server and its PostgreSQL: counts what is asked, and holds up the connection that listens, as a network may.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface PostgresProxy {
  /** Address of the database through the proxy. */
  readonly url: string;
  /** Messages to the database so far, without those of the connections that listen or probe. */
  readonly asked: () => number;
  /** While it is true, nothing passes on the connections that listen. */
  hold(isHeld: boolean): void;
  close(): Promise<void>;
}

/** Begins the message in which the server tells the number of its process. */
const PROCESS_NUMBER = Buffer.from([0x4b, 0, 0, 0, 12]);

/** @param isPooler whether clients get other numbers for the server's processes, as from a pooler */
export async function postgresProxy(url: string, isPooler = false): Promise<PostgresProxy> {
  const target = new URL(url);
  const listening = new Set<Socket>();
  const all = new Set<Socket>();
  let asked = 0;
  let isHeld = false;
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const socket of [client, database]) {
      all.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        all.delete(socket);
        listening.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.once('data', (first: Buffer) => {
      // The first message names the application.
      const name = first.toString('latin1');
      const isListening = name.includes('gatehouse lease');
      database.write(first);
      if (!isListening && !name.includes('gatehouse probe')) client.on('data', () => (asked += 1));
      if (isListening) for (const socket of [client, database]) listening.add(socket);
      if (isPooler) database.on('data', renumber);
      client.pipe(database);
      database.pipe(client);
      if (isListening && isHeld) for (const socket of [client, database]) socket.pause();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    asked: () => asked,
    hold(held) {
      isHeld = held;
      for (const socket of listening) held ? socket.pause() : socket.resume();
    },
    async close() {
      for (const socket of all) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function renumber(data: Buffer): void {
  const at = data.indexOf(PROCESS_NUMBER);
  if (at >= 0) data.writeUInt32BE(1, at + PROCESS_NUMBER.length);
}
