// Sends a multipart form to the server that a bench measures.
import { performance } from 'node:perf_hooks';
import { request } from 'undici';
import { form } from '../../test/plugins/ai/files.ts';
import type { ServerProcess } from './server-process.ts';

/** @returns the value of a JSON answer, the text of another @throws Error for another status than 200 */
export function postForm(server: ServerProcess, path: string, ...given: Parameters<typeof form>): Promise<unknown> {
  return sendForm('POST', server, path, given);
}

/** As postForm. */
export function deleteForm(server: ServerProcess, path: string, ...given: Parameters<typeof form>): Promise<unknown> {
  return sendForm('DELETE', server, path, given);
}

async function sendForm(method: 'POST' | 'DELETE', { address, agent, cookie }: ServerProcess, path: string, given: Parameters<typeof form>): Promise<unknown> {
  const { headers, body } = await form(...given);
  const answer = await request(`${address}${path}`, { method, headers: { ...headers, cookie }, body, dispatcher: agent });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
}

/** Asks for events and reads all of them. @returns milliseconds until the first @throws Error if that is not a piece of text */
export async function firstEventMs({ address, agent, cookie }: ServerProcess, path: string, fields: Readonly<Record<string, string>>): Promise<number> {
  const { headers, body } = await form(fields);
  const all = { ...headers, cookie, accept: 'text/event-stream' };
  const startedAt = performance.now();
  const answer = await request(`${address}${path}`, { method: 'POST', headers: all, body, dispatcher: agent });
  const events = answer.body[Symbol.asyncIterator]();
  const { value } = await events.next();
  const ms = performance.now() - startedAt;
  if (!String(value).startsWith('event: text')) throw new Error(`the first event is ${value}`);
  while (!(await events.next()).done);
  return ms;
}
