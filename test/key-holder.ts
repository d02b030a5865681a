// Somebody who uses the key server over HTTPS with one credential, for tests of who has what.
import assert from 'node:assert/strict';
import type { Answer, Ask, AskOptions } from './server.ts';

interface Member {
  readonly tag: string;
  readonly value: unknown;
}

interface Done {
  readonly status: number;
  readonly text: string;
  /** Values of UniqueIdentifier. */
  readonly ids: readonly string[];
}

const text = (tag: string, value: string) => ({ tag, type: 'TextString', value });
const enumeration = (tag: string, value: string) => ({ tag, type: 'Enumeration', value });
const ENCRYPT_AND_DECRYPT = 12;

export class KeyHolder {
  readonly #ask: () => Ask;
  readonly credential: AskOptions;

  /** @param ask asked for each time: the server may have been started again */
  constructor(ask: () => Ask, credential: AskOptions) {
    this.#ask = ask;
    this.credential = credential;
  }

  ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
    return this.#ask()(method, path, { ...this.credential, ...(body === undefined ? {} : { body }) });
  }

  /** Of a request that every credential opens. */
  async status(): Promise<number> {
    return (await this.ask('GET', '/me')).status;
  }

  async me(): Promise<{ user: string }> {
    return this.#body('GET', '/me');
  }

  async kmip(operation: string, ...value: unknown[]): Promise<Done> {
    const answer = await this.ask('POST', '/kmip/2_1', { tag: operation, value });
    const members: Member[] = answer.status === 200 ? (answer.body.value ?? []) : [];
    return { status: answer.status, text: answer.text, ids: members.filter(({ tag }) => tag === 'UniqueIdentifier').map(({ value: id }) => String(id)) };
  }

  /** @returns the identifier of a new AES key of this name @param more attributes */
  async create(name: string, ...more: unknown[]): Promise<string> {
    const attributes = [
      enumeration('CryptographicAlgorithm', 'AES'),
      { tag: 'CryptographicLength', type: 'Integer', value: 256 },
      { tag: 'CryptographicUsageMask', type: 'Integer', value: ENCRYPT_AND_DECRYPT },
      { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' },
      { tag: 'Name', value: [text('NameValue', name), enumeration('NameType', 'UninterpretedTextString')] },
      ...more,
    ];
    const made = await this.kmip('Create', enumeration('ObjectType', 'SymmetricKey'), { tag: 'Attributes', value: attributes });
    assert.equal(made.status, 200, made.text);
    return made.ids[0] as string;
  }

  async canUse(id: string): Promise<boolean> {
    const data = { tag: 'Data', type: 'ByteString', value: '00' };
    const parameters = { tag: 'CryptographicParameters', value: [enumeration('BlockCipherMode', 'GCM')] };
    const answer = await this.kmip('Encrypt', text('UniqueIdentifier', id), parameters, data);
    assert.ok(answer.status === 200 || answer.status === 422, answer.text);
    return answer.status === 200;
  }

  tryGrant(id: string, user: string, operations = ['encrypt']): Promise<Answer> {
    return this.ask('POST', '/access/grant', { unique_identifier: id, user_id: user, operation_types: operations });
  }

  async grant(id: string, user: string): Promise<void> {
    const answer = await this.tryGrant(id, user);
    assert.equal(answer.status, 200, answer.text);
  }

  /** Identifiers of one's own objects. */
  async owned(): Promise<string[]> {
    return (await this.#body('GET', '/access/owned')).map(({ object_id }: { object_id: string }) => object_id);
  }

  async obtained(): Promise<{ object_id: string; owner_id: string }[]> {
    return this.#body('GET', '/access/obtained');
  }

  /** Those whom an object is granted to. */
  async granted(id: string): Promise<string[]> {
    return (await this.#body('GET', `/access/list/${encodeURIComponent(id)}`)).map(({ user_id }: { user_id: string }) => user_id);
  }

  async mayOf(id: string, user: string): Promise<boolean> {
    return (await this.#body('POST', '/access/check', { unique_identifier: id, user_id: user, operation_types: ['encrypt'] })).allowed.encrypt;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  async #body(method: 'GET' | 'POST', path: string, body?: unknown): Promise<any> {
    const answer = await this.ask(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
    return answer.body;
  }
}
