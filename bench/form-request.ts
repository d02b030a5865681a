// Sends a multipart form to the server that a bench measures.
import { request } from 'undici';
import { form } from '../test/plugins/ai/files.ts';
import type { ServerProcess } from './server-process.ts';

/** @returns the value of a JSON answer, the text of another @throws Error for another status than 200 */
export async function postForm({ address, agent, cookie }: ServerProcess, path: string, ...given: Parameters<typeof form>): Promise<unknown> {
  const { headers, body } = await form(...given);
  const answer = await request(`${address}${path}`, { method: 'POST', headers: { ...headers, cookie }, body, dispatcher: agent });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
}
