// Reads a body. The bytes that have arrived count against the caller's share, not the announced length.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../../fault.ts';
import { giveBack } from '../../give-back.ts';
import type { Holding } from '../../limits/shares.ts';
import { Gathered } from './gathered.ts';

/** Smaller bodies are not counted, because the number of connections is limited. */
const MIN_COUNTED_BYTES = 65_536;
const NOTHING = Buffer.alloc(0);

/** @param bytes empty after a fault */
export type BodyDone = (fault: Fault | null, bytes: Buffer) => void;

export interface BodyOptions {
  readonly maxBytes: number;
  /** Called before the first byte is read, not for a body that is refused unread. */
  begin(): void;
  /** Called once, for a body that is large enough to be counted. @param lose called if its memory is needed for other callers */
  hold(lose: () => void): Holding;
}

/**
 * With a callback instead of a promise, and without removing the listeners of a message that ends anyway: both would cost more than reading a small body.
 * @param done gets the body, or a Fault: ENCODED, PAYLOAD_TOO_LARGE, OVERLOADED if there is no room for it, BAD_REQUEST if it is shorter than announced,
 *   CANCELLED if the client goes away
 */
export function readBody(message: IncomingMessage, { maxBytes, begin, hold }: BodyOptions, done: BodyDone): void {
  if (isEncoded(message)) return done(new Fault('ENCODED'), NOTHING);
  const announced = lengthOf(message);
  if (announced !== undefined && announced > maxBytes) return done(new Fault('PAYLOAD_TOO_LARGE'), NOTHING);
  begin();
  const gathered = new Gathered(announced);
  let holding: Holding | undefined;
  let isOver = false;
  const fail = (fault: Fault) => {
    if (isOver) return;
    isOver = true;
    // The rest of the body and its errors are ignored.
    message.resume();
    holding?.release();
    gathered.drop();
    done(fault, NOTHING);
  };
  message.on('data', (chunk: Buffer) => {
    if (isOver) return giveBack(chunk);
    const length = gathered.length + chunk.byteLength;
    if (length > maxBytes || (announced !== undefined && length > announced)) return fail(new Fault('PAYLOAD_TOO_LARGE'));
    if (length > MIN_COUNTED_BYTES) holding ??= hold(() => fail(new Fault('OVERLOADED', { detail: TAKEN })));
    if (holding && !holding.set(length)) return fail(new Fault('OVERLOADED', { detail: NO_ROOM }));
    gathered.add(chunk);
  });
  message.on('end', () => {
    if (isOver) return;
    if (announced !== undefined && announced !== gathered.length) return fail(new Fault('BAD_REQUEST', { detail: LENGTH }));
    isOver = true;
    holding?.keep();
    done(null, gathered.take());
  });
  message.on('error', (cause: unknown) => fail(new Fault('CANCELLED', { cause })));
}

const NO_ROOM = 'your running requests use all the memory that one caller may use; wait for their answers and try again';
const TAKEN = 'all running requests together need too much memory, and yours need most of it; try again later';
const LENGTH = 'the length of the body differs from Content-Length';

function lengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['transfer-encoding'] === undefined ? headers['content-length'] : undefined;
  return length === undefined ? undefined : Number(length);
}

function isEncoded({ headers }: IncomingMessage): boolean {
  const coding = headers['content-encoding'];
  return coding !== undefined && coding.trim().toLowerCase() !== 'identity';
}
