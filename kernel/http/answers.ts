// Answers that are on their way: large ones leave in slices and count against the caller's share until they have left.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../fault.ts';
import type { FrontLimits } from '../front-limits.ts';
import { giveBack } from '../give-back.ts';
import type { Shares } from '../shares.ts';
import { SLICE_BYTES, slicesOf } from '../slices.ts';

/** Large bodies that are one answer's alone. */
const forOnce = new WeakSet<Uint8Array>();

export function isForOnce(body: Uint8Array): void {
  if (body.byteLength > SLICE_BYTES) forOnce.add(body);
}

/** @param whose the holder that a request counts for */
export function boundAnswers(app: FastifyInstance, { answers, stalled }: FrontLimits, whose: (request: FastifyRequest) => string): void {
  // A smaller answer is what connections are limited for: each has one under way.
  app.addHook('onSend', (request, reply, payload, done) => {
    const isLarge = (typeof payload === 'string' || payload instanceof Uint8Array) && payload.length > SLICE_BYTES && request.method !== 'HEAD';
    if (!isLarge) return done();
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

/** @throws Fault OVERLOADED where the caller has its whole share of answers that it has not read: before the next is made */
export function refuseUnread(shares: Shares, who: string): void {
  if (shares.isFull(who)) throw new Fault('OVERLOADED', { detail: UNREAD });
}

const UNREAD = 'too much of your earlier answers is not read yet, read it and try again';

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
