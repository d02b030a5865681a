// Reads a body: what has arrived of it counts against the caller's share, not what it announces.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../fault.ts';
import type { Holding } from '../shares.ts';
import { Gathered } from './gathered.ts';

/** What is smaller is what connections are limited for, and is not counted. */
const MIN_COUNTED_BYTES = 65_536;

export interface BodyOptions {
  readonly maxBytes: number;
  /** Called once, for a body that is large enough to be counted. @param lose when it is taken away for others */
  hold(lose: () => void): Holding;
}

/** @throws Fault PAYLOAD_TOO_LARGE, OVERLOADED where there is no room for it, BAD_REQUEST where it is not as long as it says, CANCELLED */
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
      // The rest is dropped, and so is an error of it.
      message.on('error', () => {}).resume();
      holding?.release();
      gathered.drop();
      reject(fault);
    };
    message.on('data', onData).on('end', onEnd).on('error', onError);
  });
}

const NO_ROOM = 'your requests take all the memory that they may have, try again when some are answered';
const TAKEN = 'the requests under way take all the memory there is, and yours most of it: try again';
const LENGTH = 'the body is not as long as Content-Length says';

function lengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['transfer-encoding'] === undefined ? headers['content-length'] : undefined;
  return length === undefined ? undefined : Number(length);
}
