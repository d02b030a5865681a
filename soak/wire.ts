// What stands between a node and its database: bytes pass late, or in one direction only, and are counted while they are hindered.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';

/** What happens to the bytes of one direction. */
export interface Direction {
  /** Each piece waits so long, milliseconds. */
  delayMs: number;
  /** Nothing passes, and nobody is told. */
  isCut: boolean;
  /** Bytes that were late or held so far. */
  hindered: number;
}

export interface Wire {
  /** Address of the database through it. */
  readonly url: string;
  readonly toDatabase: Direction;
  readonly fromDatabase: Direction;
  /** Connections that begin from now on lead to this port. */
  lead(port: number): void;
  /** What was held passes again. */
  heal(): void;
  /** Nothing passes any more on the connections that there are, and neither side is told, as behind a firewall that has forgotten them. */
  forget(): void;
  /** Ends all connections; what was held is lost. */
  hangUp(): void;
  close(): Promise<void>;
}

export async function openWire(url: string): Promise<Wire> {
  const target = new URL(url);
  let port = Number(target.port);
  const sockets = new Set<Socket>();
  const forgotten = new WeakSet<Socket>();
  const [toDatabase, fromDatabase] = [direction(), direction()];
  let healed = Promise.withResolvers<void>();
  const pass = (from: Socket, to: Socket, way: Direction) => {
    let last: Promise<unknown> = Promise.resolve();
    from.on('data', (data) => {
      if (forgotten.has(from)) return;
      if (way.isCut || way.delayMs > 0) way.hindered += data.length;
      const delay = way.delayMs;
      // The order stays, also of what comes after the last one that waits.
      last = last.then(async () => {
        if (delay > 0) await after(delay);
        while (way.isCut) await healed.promise;
        if (!to.destroyed) to.write(data);
      });
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      // A cut network tells nobody that the other side has gone.
      if (forgotten.has(from)) return;
      void last.then(() => to.destroy());
    });
  };
  const server = createServer((client) => {
    const database = connect(port, target.hostname);
    for (const socket of [client, database]) sockets.add(socket.setNoDelay());
    pass(client, database, toDatabase);
    pass(database, client, fromDatabase);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  const heal = () => {
    for (const way of [toDatabase, fromDatabase]) Object.assign(way, { delayMs: 0, isCut: false });
    healed.resolve();
    healed = Promise.withResolvers();
  };
  const lead = (to: number) => {
    port = to;
  };
  const forget = () => {
    for (const socket of sockets) forgotten.add(socket);
  };
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = async () => {
    heal();
    hangUp();
    server.close();
    await once(server, 'close');
  };
  return { url: through.href, toDatabase, fromDatabase, lead, heal, forget, hangUp, close };
}

const direction = (): Direction => ({ delayMs: 0, isCut: false, hindered: 0 });
