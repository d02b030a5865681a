// What a client of the key server does over HTTPS, one bare operation at a time; undefined where the server did not answer.
import type { OperationName } from '../../kmip/operation-name.ts';
import { encodeJson } from '../../kmip/ttlv/json.ts';
import { type Node, structure } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { Answer, Ask } from '../server.ts';

export interface KeyAnswer {
  readonly ok: boolean;
  readonly reason: string;
  /** Values of the members by tag name. */
  // biome-ignore lint/suspicious/noExplicitAny: values are compared, whatever they are.
  readonly members: Readonly<Record<string, any>>;
}

export class KeyClient {
  readonly #ask: Ask;
  readonly #cookie: string;

  constructor(ask: Ask, cookie: string) {
    this.#ask = ask;
    this.#cookie = cookie;
  }

  async call(operation: OperationName, members: readonly Node[]): Promise<KeyAnswer | undefined> {
    const body = Buffer.from(encodeJson(structure(TAG.RequestPayload, members), operation)).toString();
    const answer = await this.#send('/kmip/2_1', body);
    if (!answer) return undefined;
    if (answer.status !== 200) return { ok: false, reason: String(answer.body?.message ?? answer.text), members: {} };
    const all = answer.body.value as readonly { tag: string; value: unknown }[];
    return { ok: true, reason: '', members: Object.fromEntries(all.map(({ tag, value }) => [tag, value])) };
  }

  /** Adds or takes a right. @returns whether it was answered with success; undefined without an answer */
  async access(verb: 'grant' | 'revoke', id: string, user: string, rights: readonly string[]): Promise<boolean | undefined> {
    const answer = await this.#send(`/access/${verb}`, JSON.stringify({ unique_identifier: id, user_id: user, operation_types: rights }));
    return answer && answer.status === 200;
  }

  /** Rights by user. */
  async grantees(id: string): Promise<ReadonlyMap<string, string>> {
    const { body } = await this.#ask('GET', `/access/list/${id}`, { cookie: this.#cookie });
    return new Map((body as { user_id: string; operations: string[] }[]).map(({ user_id, operations }) => [user_id, operations.join(' ')]));
  }

  #send(path: string, body: string): Promise<Answer | undefined> {
    // A connection that breaks is the kill: whether the write was done is not known.
    return this.#ask('POST', path, { cookie: this.#cookie, body }).catch(() => undefined);
  }
}
