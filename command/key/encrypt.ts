// `gatehouse key encrypt | decrypt`: short inputs by the server itself, longer ones as a stream by a data key that the server encrypts.
import type { Calls } from '../../client/calls.ts';
import type { Client } from '../../client/client.ts';
import { ENVELOPE, EnvelopeError, openEnvelope, sealEnvelope } from '../../client/envelope.ts';
import { bytesOf, writeStream } from '../bytes.ts';
import { command, flag } from '../command.ts';
import { CommandError, EXIT } from '../exit.ts';
import { jsonIn } from '../json.ts';
import { sortOf } from './attributes.ts';
import { identifierOf } from './identifier.ts';
import { encryptionAlgorithm } from './kind.ts';
import { KEY } from './life.ts';

type Encryption = Calls['POST /v1/crypto/encrypt']['body'];
type Sealed = Calls['POST /v1/crypto/decrypt']['body'];

/** Longer inputs get a data key. */
const MAX_DIRECT_BYTES = 1_048_576;
const MAX_JWE_BYTES = 16_777_216;

interface EncryptFlags {
  readonly out?: string;
  readonly alg?: string;
  readonly enc?: string;
  readonly envelope?: boolean;
}

const FILE = ['[file]', 'file to read (default: standard input)'] as const;
const OUT = flag('-o, --out <file>', 'new file to write (default: standard output)');

export const encrypt = command<EncryptFlags>({
  name: 'encrypt',
  about: 'Encrypt a file or standard input of any length',
  args: [KEY, FILE],
  flags: [
    OUT,
    flag('--alg <name>', 'algorithm of the key: dir, RSA-OAEP-256, A256KW, ECDH-ES ... (default: by the kind of the key)'),
    flag('--enc <name>', 'encryption of the content: A256GCM, A128CBC-HS256 ... (default: by the kind of the key)'),
    flag('--envelope', 'use a data key for a short input too'),
  ],
  example: 'gatehouse key encrypt invoices backup.tar -o backup.tar.sealed',
  async run(given, [word, file], { out, alg, enc, envelope }) {
    const kid = await identifierOf(given.client(), word);
    const chosen = await algorithms(given.client(), kid, alg, enc);
    const seal = (data: Uint8Array, aad?: string) =>
      sealed(given.client(), { kid, ...chosen, ...(aad === undefined ? {} : { aad: base64url(Buffer.from(aad)) }) }, data);
    const source = bytesOf(file as string | undefined, given);
    const { head, rest } = await beginning(source, envelope ? 0 : MAX_DIRECT_BYTES);
    const isShort = !envelope && head.length <= MAX_DIRECT_BYTES;
    const output = isShort ? one(() => seal(head).then((text) => `${text}\n`)) : sealEnvelope(joined(head, rest), (dataKey) => seal(dataKey, ENVELOPE));
    await writeStream(out, output);
  },
});

async function algorithms(client: Client, kid: string, alg: string | undefined, enc: string | undefined): Promise<Pick<Encryption, 'alg' | 'enc'>> {
  const usual = alg !== undefined && enc !== undefined ? undefined : await usualOf(client, kid, alg, enc);
  return { alg: alg ?? usual?.alg, enc: enc ?? usual?.enc } as Pick<Encryption, 'alg' | 'enc'>;
}

/** Whoever may encrypt with a key of somebody else but not see its attributes gets what an AES key of 256 bits does. */
async function usualOf(client: Client, kid: string, alg: string | undefined, enc: string | undefined) {
  if (alg !== undefined && alg !== 'dir' && enc === undefined) return { alg, enc: 'A256GCM' };
  const sort = await sortOf(client, kid, '--alg and --enc').catch((error: unknown) => {
    if (error instanceof CommandError) return { algorithm: 'AES', bits: 256, parameters: {} };
    throw error;
  });
  const usual = encryptionAlgorithm(sort);
  if (usual) return usual;
  throw new CommandError(`a key of ${sort.algorithm} does not encrypt`, EXIT.refused);
}

async function sealed(client: Client, about: Omit<Encryption, 'data'>, data: Uint8Array): Promise<string> {
  return JSON.stringify(await client.call('POST /v1/crypto/encrypt', { body: { ...about, data: base64url(data) } }));
}

export const decrypt = command<{ readonly out?: string }>({
  name: 'decrypt',
  about: 'Decrypt what encrypt has written, or a JWE. Trust the output only if the exit code is 0',
  args: [FILE],
  flags: [OUT],
  example: 'gatehouse key decrypt backup.tar.sealed -o backup.tar',
  async run(given, [file], { out }) {
    const source = bytesOf(file as string | undefined, given);
    const { head, rest } = await beginning(source, ENVELOPE.length);
    const client = given.client();
    const isEnvelope = head.subarray(0, ENVELOPE.length).toString('latin1') === ENVELOPE;
    const all = joined(head, rest);
    try {
      await writeStream(out, isEnvelope ? openEnvelope(all, (line) => opened(client, line, ENVELOPE)) : one(async () => opened(client, await textOf(all))));
    } catch (error) {
      if (error instanceof EnvelopeError) throw new CommandError(error.message, EXIT.wrong);
      throw error;
    }
  },
});

/** @param text a JWE: its parts as JSON (also RFC 7516 section 7.2.2), or the compact form @param aad what it must be bound to */
async function opened(client: Client, text: string, aad?: string): Promise<Buffer> {
  const parts = partsOf(text);
  if (aad !== undefined && parts.aad !== base64url(Buffer.from(aad))) throw new EnvelopeError('the data key of the envelope was made for something else');
  const { data } = await client.call('POST /v1/crypto/decrypt', { body: parts });
  return Buffer.from(data, 'base64url');
}

function partsOf(text: string): Sealed {
  const compact = /^([\w-]+)\.([\w-]*)\.([\w-]+)\.([\w-]*)\.([\w-]+)\s*$/.exec(text);
  if (compact) {
    const [, header, encrypted_key, iv, ciphertext, tag] = compact as unknown as string[];
    return { protected: header, encrypted_key, iv, ciphertext, tag } as Sealed;
  }
  const parts = jsonIn(text) as Sealed | null | undefined;
  if (typeof parts?.protected === 'string') return parts;
  throw new CommandError('the input is neither an envelope nor a JWE', EXIT.wrong);
}

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of source) {
    length += part.length;
    if (length > MAX_JWE_BYTES) throw new CommandError('the input is neither an envelope nor a JWE that the server takes', EXIT.wrong);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Reads until more than `bytes` are there, or the end. */
async function beginning(source: AsyncGenerator<Buffer>, bytes: number): Promise<{ head: Buffer; rest: AsyncGenerator<Buffer> }> {
  const parts: Buffer[] = [];
  let length = 0;
  while (length <= bytes) {
    const { done, value } = await source.next();
    if (done === true) break;
    parts.push(value);
    length += value.length;
  }
  return { head: Buffer.concat(parts), rest: source };
}

async function* joined(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* rest;
}

async function* one(make: () => Promise<string | Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(await make());
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
