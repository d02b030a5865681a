// Calls the crypto API over objects in memory.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { CryptoCall } from '../../../../actors/kmip/api.ts';
import { serveCrypto } from '../../../../actors/kmip/jose/serve.ts';
import { type ContextOptions, ObjectsInMemory } from '../../../fakes/objects.ts';

/** What an answer's body holds, as a test reads it. */
// biome-ignore lint/suspicious/noExplicitAny: answers are compared, whatever they hold
export type Body = any;

type Plain = Exclude<CryptoCall, { kid: string }>['name'];

export class CryptoApi {
  readonly ctx: ObjectsInMemory;

  constructor(options?: ContextOptions) {
    this.ctx = new ObjectsInMemory([], options);
  }

  async call(call: CryptoCall, body: unknown): Promise<{ status: number; body: Body }> {
    const bytes =
      typeof body === 'string' ? Buffer.from(body) : body instanceof Uint8Array ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const answer = await serveCrypto(call, bytes, this.ctx);
    return { status: answer.status, body: answer.body === undefined ? undefined : JSON.parse(JSON.stringify(answer.body)) };
  }

  /** The body of an answer that is 200. */
  async ok(name: Plain, body: unknown): Promise<Body> {
    const answer = await this.call({ name }, body);
    assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** `422 crypto_failure` of a call that is refused. @param member that the description has to name */
  async refused(name: Plain, body: unknown, member?: string): Promise<string> {
    const answer = await this.call({ name }, body);
    assert.deepEqual(Object.keys(answer.body), ['error', 'description'], `${name}: ${JSON.stringify(answer.body)}`);
    if (member !== undefined) assert.match(answer.body.description, new RegExp(`\\b${member}\\b`), `${name}: ${JSON.stringify(body)}`);
    return `${answer.status} ${answer.body.error}`;
  }
}

export const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');

/** The same text in which one bit of the bytes is another. */
export function tampered(text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1;
  return bytes.toString('base64url');
}

export const header = (encoded: string): Body => JSON.parse(Buffer.from(encoded, 'base64url').toString());

export const randomText = (length: number): string => randomBytes(length).toString('base64url');
