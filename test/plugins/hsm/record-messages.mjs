// Loaded into every thread of a process, it writes all that the thread posts to others into a file of its own, in the folder RECORDED_MESSAGES.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessagePort, threadId } from 'node:worker_threads';

const file = join(process.env.RECORDED_MESSAGES ?? '.', `thread-${threadId}`);
const post = MessagePort.prototype.postMessage;

MessagePort.prototype.postMessage = function record(message, ...more) {
  write(message, new Set());
  return post.call(this, message, ...more);
};

/** Texts and bytes, wherever in the message they are. */
function write(value, seen) {
  if (typeof value === 'string') appendFileSync(file, `${value}\n`);
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (ArrayBuffer.isView(value)) appendFileSync(file, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  else if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) appendFileSync(file, Buffer.from(value));
  else if (value instanceof Map || value instanceof Set) for (const each of value) write(each, seen);
  else for (const each of Object.values(value)) write(each, seen);
}
