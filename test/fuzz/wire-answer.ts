// What a server owes for bytes that it was sent over a wire, and whether what came is that.
import assert from 'node:assert/strict';
import type { Encoding } from '../../actors/kmip/api.ts';
import { readAnswer } from './answer.ts';
import type { Exchanged } from './exchange.ts';

/** A request that may lack its end lets a server wait for it; so long, and then there is no more. */
const QUIET_MS = 150;
/** For a request that is whole, on a machine under load. */
const MAX_ANSWER_MS = 8_000;

const STATUSES: ReadonlySet<number> = new Set([200, 204, 400, 401, 403, 404, 405, 406, 408, 411, 413, 414, 415, 417, 422, 429, 431, 501, 503]);

export interface Sent {
  readonly bytes: Uint8Array;
  /** Answers that are owed whatever else the bytes hold. */
  readonly least: number;
  /** Answers that are owed unless the server closes: it need not read on behind what it cannot read. */
  readonly most: number;
}

/** Silence counts for nothing while an answer is owed. */
export function patience({ least, most }: Sent): number {
  return Math.max(least, most) > 0 ? MAX_ANSWER_MS : QUIET_MS;
}

/** @throws AssertionError where the server hangs, has closed without the answers that it owed, or has answered what is not well-formed */
export function checkHttp({ least }: Sent, { ending, answer }: Exchanged): void {
  assert.notEqual(ending, 'held', 'the connection was held open after the client had closed it');
  if (least > 0) assert.equal(ending, 'closed', 'a whole request that says connection: close is answered, and the connection closed');
  const told = finalAnswer(answer);
  if (told === undefined) return assert.equal(least, 0, 'a whole request was not answered');
  const { status, head, content } = told;
  assert.ok(STATUSES.has(status), head.split('\r\n', 1)[0]);
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? Number.NaN);
  if (content.length === 0 || length !== content.length) return;
  if (/^content-type: application\/json/im.test(head)) JSON.parse(content.toString());
  if (/^content-type: application\/octet-stream/im.test(head)) readAnswer({ status, body: new Uint8Array(content), outcomes: [] }, 'binary');
  if (/^content-type: text\/xml/im.test(head)) readAnswer({ status, body: new Uint8Array(content), outcomes: [] }, 'xml' satisfies Encoding);
}

interface HttpAnswer {
  readonly status: number;
  readonly head: string;
  readonly content: Buffer;
}

/** @returns the answer behind any `100 Continue`; undefined where there is none */
function finalAnswer(answer: Buffer): HttpAnswer | undefined {
  if (answer.length === 0) return undefined;
  const end = answer.indexOf('\r\n\r\n');
  const head = answer.subarray(0, end).toString('latin1');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  const content = answer.subarray(end + 4);
  return status === 100 ? finalAnswer(content) : { status, head, content };
}

/** How many whole messages of KMIP there are, by the lengths in their headers. */
export function frames(bytes: Uint8Array): number {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let [count, at] = [0, 0];
  while (view.length - at >= 8 && view.length - at >= 8 + view.readUInt32BE(at + 4)) {
    at += 8 + view.readUInt32BE(at + 4);
    count += 1;
  }
  return count;
}

/** @throws AssertionError as `checkHttp` does */
export function checkKmip({ least, most }: Sent, { ending, answer }: Exchanged): void {
  assert.notEqual(ending, 'held', 'the connection was held open after the client had closed it');
  const told = frames(answer);
  assert.ok(told >= least, `${least} messages were to be answered, ${told} were`);
  if (ending !== 'closed') assert.ok(told >= most, `the connection is open, and of ${most} messages ${told} were answered`);
  // One frame after the other, each a message.
  for (let rest = answer; rest.length > 0; ) {
    assert.ok(rest.length >= 8, 'a whole header');
    const size = 8 + rest.readUInt32BE(4);
    assert.ok(rest.length >= size, 'a whole message');
    readAnswer({ status: 200, body: new Uint8Array(rest.subarray(0, size)), outcomes: [] }, 'binary');
    rest = rest.subarray(size);
  }
}
