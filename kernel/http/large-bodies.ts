// Bounds the memory of large bodies: all that are read or worked on at one moment, of all connections together.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../fault.ts';

/** A body below this size is what connections are limited for, and is not counted. */
const LARGE = 1_048_576;

export class LargeBodies {
  readonly #limit: number;
  #held = 0;

  /** @param limit bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Called before a body is read; it counts until its answer has left or its connection is gone.
   * @param bodyLimit of the route, bytes: what a body may have that does not say how long it is
   * @throws Fault OVERLOADED where there is no room for it now
   */
  admit(request: FastifyRequest, reply: FastifyReply, bodyLimit: number): void {
    const size = request.headers['transfer-encoding'] === undefined ? Number(request.headers['content-length'] ?? 0) : bodyLimit;
    // What is longer than the route permits is refused as that, without being read.
    if (!(size >= LARGE) || size > bodyLimit) return;
    if (this.#held + size > this.#limit) throw new Fault('OVERLOADED', { detail: 'too many large bodies at once, try again' });
    this.#held += size;
    reply.raw.once('close', () => {
      this.#held -= size;
    });
  }
}
