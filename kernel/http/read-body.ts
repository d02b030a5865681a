// Reads a body. The bytes that have arrived count against the caller's share, not the announced length.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../fault.ts';
import type { Holding } from '../shares.ts';
import { Gathered } from './gathered.ts';

/** Smaller bodies are not counted, because the number of connections is limited. */
const MIN_COUNTED_BYTES = 65_536;

export interface BodyOptions {
  readonly maxBytes: number;
  /** Called once, for a body that is large enough to be counted. @param lose called if its memory is needed for other callers */
  hold(lose: () => void): Holding;
}

/** @throws Fault PAYLOAD_TOO_LARGE, OVERLOADED if there is no room for it, BAD_REQUEST if it is shorter than announced, CANCELLED if the client goes away */
export function readBody(message: IncomingMessage, { maxBytes, hold }: BodyOptions): Promise<Buffer> {
  const announced = lengthOf(message);
  if (announced !== undefined && announced > maxBytes) return Promise.reject(new Fault('PAYLOAD_TOO_LARGE'));
  return new Promise((resolve, reject) => {
    const gathered = new Gathered(announced);
    let holding: Holding | undefined;
    const onData = (chunk: Buffer) => {
      const length = gathered.length + chunk.byteLength;
      if (length > maxBytes || (announced !== undefined && length > announced)) return fail(new Fault('PAYLOAD_TOO_LARGE'));
      if (length > MIN_COUNTED_BYTES) holding ??= hold(() => fail(new Fault('OVERLOADED', { detail: TAKEN })));
      if (holding && !holding.set(length)) return fail(new Fault('OVERLOADED', { detail: NO_ROOM }));
      gathered.add(chunk);
    };
    const onEnd = () => {
      if (announced !== undefined && announced !== gathered.length) return fail(new Fault('BAD_REQUEST', { detail: LENGTH }));
      stop();
      holding?.keep();
      resolve(gathered.take());
    };
    const onError = (cause: unknown) => fail(new Fault('CANCELLED', { cause }));
    const stop = () => message.off('data', onData).off('end', onEnd).off('error', onError);
    const fail = (fault: Fault) => {
      stop();
      // Ignore the rest of the body and its errors.
      message.on('error', () => {}).resume();
      holding?.release();
      gathered.drop();
      reject(fault);
    };
    message.on('data', onData).on('end', onEnd).on('error', onError);
  });
}

const NO_ROOM = 'your running requests use all the memory that one caller may use; wait for their answers and try again';
const TAKEN = 'all running requests together need too much memory, and yours need most of it; try again later';
const LENGTH = 'the length of the body differs from Content-Length';

function lengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['transfer-encoding'] === undefined ? headers['content-length'] : undefined;
  return length === undefined ? undefined : Number(length);
}
