// Counts the requests that are not answered yet, for a stop that waits for them: those of clients that have left do not count.
import type { Server, TLSSocket } from 'node:tls';

const RUNNING = Symbol('requests of this connection that run');

/** A connection while it is open. */
type Counted = Partial<Record<typeof RUNNING, number>>;

/** A listener for each answer, or a set of them, would cost a fifth of an empty request: what is counted is kept with the connection. */
export class RunningRequests {
  #count = 0;

  /** @param server whose requests are counted */
  constructor(server: Server) {
    server.on('secureConnection', (socket: TLSSocket & Counted) => {
      socket[RUNNING] = 0;
      // Fastify tells no end of a request whose client has left.
      socket.on('close', () => {
        this.#count -= socket[RUNNING] ?? 0;
        delete socket[RUNNING];
      });
    });
  }

  get any(): boolean {
    return this.#count > 0;
  }

  begin(socket: object): void {
    this.#add(socket, 1);
  }

  end(socket: object): void {
    this.#add(socket, -1);
  }

  #add(socket: Counted, change: 1 | -1): void {
    const running = socket[RUNNING];
    if (running === undefined) return;
    socket[RUNNING] = running + change;
    this.#count += change;
  }
}
