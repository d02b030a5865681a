// Clients whose answers can be computed, or opened, by themselves: REST cryptography, messages on the listener, anonymization, texts.
import { randomBytes } from 'node:crypto';
import { bytes, dateTime } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { form } from '../../test/plugins/ai/files.ts';
import type { Answer } from '../../test/server.ts';
import { aesKey, GCM, named } from '../kmip.ts';
import { anyVoice, type Client, type Kept } from './client.ts';

/** One turn of a client. What must still be so at the end of the run goes to `keep`. */
export type Turn = (client: Client, keep: (kept: Kept) => void) => Promise<void>;

/** Answers that work took longer than its limit, by their codes. The limit counts the wait for a thread too: a node that stands still reaches it with any request. */
const LATE: ReadonlySet<unknown> = new Set(['AI_BASE_BUSY', 'MODEL_TIME_LIMIT', 'TOKENIZE_TIME_LIMIT']);

/** @returns the body of a success; undefined if there was no answer, it said that the work took too long, or it was wrong */
// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape are looked into.
export function bodyOf({ tally }: Client, what: string, answer: Answer | undefined): any {
  if (LATE.has(answer?.body?.code)) {
    tally.late += 1;
    return undefined;
  }
  if (answer && answer.status >= 300) tally.wrong('no answer is wrong', `${what} was answered with ${answer.status} ${answer.text}`);
  return answer && answer.status < 300 ? (answer.body ?? answer.text) : undefined;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** A key of the REST API encrypts what only this client knows, and opens it, wherever that is asked. */
export const restRoundTrip: Turn = async (client, keep) => {
  const text = `${client.name} ${randomBytes(9).toString('base64url')}`;
  const made = bodyOf(
    client,
    'a key of REST',
    await anyVoice(client).caller.ask('key, REST', 'POST', '/v1/crypto/keys', { body: { kty: 'oct', alg: 'A256GCM' } }),
  );
  if (!made) return;
  const { kid } = made;
  const body = { kid, alg: 'dir', enc: 'A256GCM', data: Buffer.from(text).toString('base64url') };
  const sealed = bodyOf(client, 'encrypt', await anyVoice(client).caller.ask('encrypt, REST', 'POST', '/v1/crypto/encrypt', { body }));
  if (!sealed) return;
  const open = async ({ caller }: ReturnType<typeof anyVoice>) => {
    const answer = await caller.ask('decrypt, REST', 'POST', '/v1/crypto/decrypt', { headers: JSON_TYPE, body: sealed });
    const data = answer?.status === 200 ? Buffer.from(String(answer.body.data), 'base64url').toString() : undefined;
    return { answer, data };
  };
  for (let at = 0; at < 3; at++) {
    const { answer, data } = await open(anyVoice(client));
    if (answer && data !== text)
      client.tally.wrong('no answer goes to another caller', `decrypt answered ${answer.status} ${data ?? answer.text} to ${client.name}`);
  }
  keep({
    what: `key ${kid}`,
    look: async (voice) => {
      const { answer, data } = await open(voice);
      return answer && data === text ? undefined : `decrypt answered ${answer ? `${answer.status} ${answer.text}` : 'nothing'}`;
    },
  });
};

/** In binary: Create, Encrypt and Decrypt on the listener. Every answer names the key that was asked for. */
export const listenerRoundTrip: Turn = async (client, keep) => {
  const plain = randomBytes(24);
  const made = await anyVoice(client).listener.kmip('Create', aesKey(dateTime(TAG.ActivationDate, 1)));
  if (!made?.ok) return made && client.tally.wrong('no answer is wrong', `Create on the listener: ${made.reason}`);
  const id = String(made.members['UniqueIdentifier']);
  const sealed = await anyVoice(client).listener.kmip('Encrypt', [named(id), GCM, bytes(TAG.Data, plain)]);
  if (!sealed) return;
  const member = (tag: 'Data' | 'IVCounterNonce' | 'AuthenticatedEncryptionTag') => bytes(TAG[tag], Buffer.from(String(sealed.members[tag]), 'hex'));
  const look = async ({ listener }: ReturnType<typeof anyVoice>) => {
    const opened = await listener.kmip('Decrypt', [named(id), GCM, member('Data'), member('IVCounterNonce'), member('AuthenticatedEncryptionTag')]);
    if (!opened) return 'there was no answer';
    const isRight = opened.ok && opened.members['UniqueIdentifier'] === id && opened.members['Data'] === plain.toString('hex').toUpperCase();
    return isRight ? undefined : `Decrypt on the listener: ${opened.reason} ${JSON.stringify(opened.members)}`;
  };
  if (!sealed.ok) return client.tally.wrong('no answer is wrong', `Encrypt on the listener: ${sealed.reason}`);
  for (let at = 0; at < 3; at++) {
    const wrong = await look(anyVoice(client));
    if (wrong !== undefined && wrong !== 'there was no answer') client.tally.wrong('no answer goes to another caller', wrong);
  }
  keep({ what: `key ${id} of ${client.name}`, look });
};

export const anonymization: Turn = async (client) => {
  const number = client.random.below(1_000_000);
  const body = { data: number, data_type: 'integer', power_of_ten: 2 };
  const answer = bodyOf(client, 'anonymization', await anyVoice(client).caller.ask('anonymization', 'POST', '/tokenize/aggregate-number', { body }));
  const expected = String(Math.round(number / 100) * 100);
  if (answer && answer.result !== expected) client.tally.wrong('no answer goes to another caller', `${number} was rounded to ${answer.result}`);
};

/** Words of which no two clients have the same. */
const ownWord = ({ random }: Client) => Array.from({ length: 8 }, () => 'abcdefghiklmnoprstuvz'[random.below(21)]).join('');

/** Without a model: a summary has words of its text only. */
export const summary: Turn = async (client) => {
  const word = ownWord(client);
  const sentences = Array.from({ length: 6 }, (_, at) => `The ${word} of the harbour was seen by ${at + 2} boats in the morning.`);
  const sent = await form({ doc: sentences.join(' ') });
  const answer = bodyOf(client, 'a summary', await anyVoice(client).caller.ask('summary', 'POST', '/summarize', sent));
  if (answer && !JSON.stringify(answer).includes(word))
    client.tally.wrong('no answer goes to another caller', `a summary without ${word}: ${JSON.stringify(answer)}`);
};
