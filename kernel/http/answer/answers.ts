// Limits the memory of answers: a large answer is sent in slices and counts against the caller's share until it is sent.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../fault.ts';
import { giveBack } from '../../give-back.ts';
import type { FrontLimits } from '../../limits/front-limits.ts';
import type { Shares } from '../../limits/shares.ts';
import { SLICE_BYTES, slicesOf } from '../../slices.ts';

/** Large bodies that belong to one answer only, so that their memory can be freed early. */
const forOnce = new WeakSet<Uint8Array>();

export function isForOnce(body: Uint8Array): void {
  if (body.byteLength > SLICE_BYTES) forOnce.add(body);
}

/** @param whose returns the holder whose share a request counts against */
export function boundAnswers(app: FastifyInstance, { answers, stalled }: FrontLimits, whose: (request: FastifyRequest) => string): void {
  // Smaller answers are not counted: each connection sends one at a time, and the number of connections is limited.
  app.addHook('onSend', (request, reply, payload, done) => {
    const isLarge = (typeof payload === 'string' || payload instanceof Uint8Array) && payload.length > SLICE_BYTES && request.method !== 'HEAD';
    // Of a client that has left while it was made nothing is sent, and nothing would release it.
    if (!isLarge || reply.raw.destroyed) return done();
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const { socket } = request.raw;
    const holding = answers.open(whose(request), () => socket.destroy());
    const release = () => {
      holding.release();
      if (forOnce.has(bytes)) giveBack(bytes);
    };
    const { byteLength } = bytes;
    if (!holding.set(byteLength)) {
      release();
      return done(tooMany(reply));
    }
    reply.raw.once('close', release);
    reply.header('content-length', byteLength);
    done(
      null,
      inSlices(bytes, () => stalled.note(socket)),
    );
  });
}

/** Called before an answer is made. @throws Fault OVERLOADED if the caller's unread answers use up its share */
export function refuseUnread(shares: Shares, who: string): void {
  if (shares.isFull(who)) throw new Fault('OVERLOADED', { detail: UNREAD });
}

const UNREAD = 'too many of your earlier answers are still unread; read them and try again';

function tooMany(reply: FastifyReply): Fault {
  for (const name of ['content-type', 'content-length', 'content-disposition', 'etag', 'location']) reply.removeHeader(name);
  return new Fault('OVERLOADED', { detail: UNREAD });
}

function inSlices(bytes: Uint8Array, onSlice: () => void): Readable {
  const slices = slicesOf(bytes);
  return new Readable({
    highWaterMark: SLICE_BYTES,
    read() {
      onSlice();
      this.push(slices.next().value ?? null);
    },
  });
}
