// `gatehouse key export | import | wrap | unwrap`: keys that leave the server or come to it, in the clear or wrapped by another key.
import { createPrivateKey, createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { Calls } from '../../client/calls.ts';
import type { Client } from '../../client/client.ts';
import { date, enumeration, integer, type Members, type Node, structure, text } from '../../client/kmip.ts';
import { wholeOf } from '../bytes.ts';
import { command, flag, type Surroundings } from '../command.ts';
import { CommandError, EXIT } from '../exit.ts';
import { jsonIn } from '../json.ts';
import { writeBytes } from '../output.ts';
import { attributesOf } from './attributes.ts';
import { identifierOf, nameAttribute } from './identifier.ts';
import { KEY } from './life.ts';

type NewKey = Calls['POST /v1/crypto/keys']['body'];

const OUT = flag('-o, --out <file>', 'new file to write (default: standard output)');
const ID = flag('--id <id>', 'identifier, for a key on an HSM: hsm::soft_hsm::0::signing');
const FORMATS = ['pem', 'jwk', 'raw'] as const;

export const exportKey = command<{ readonly format?: string; readonly out?: string }>({
  name: 'export',
  about: 'Write a key in the clear: PEM for keys of pairs, bytes for secret keys, or JWK',
  args: [KEY],
  flags: [flag('--format <format>', 'default: pem for keys of pairs, raw for secret keys', FORMATS), OUT],
  example: 'gatehouse key export release --format jwk -o release.jwk',
  async run(given, [word], { format, out }) {
    const id = await identifierOf(given.client(), word);
    const key = await clearKey(given.client(), id);
    writeBytes(out, encoded(key, format ?? (key.type === 'secret' ? 'raw' : 'pem')));
  },
});

const WANTED: Readonly<Record<string, string>> = { SymmetricKey: 'Raw', PrivateKey: 'PKCS_8', PublicKey: 'X_509' };

async function clearKey(client: Client, id: string): Promise<KeyObject> {
  const { ObjectType } = await attributesOf(client, id);
  const format = WANTED[String(ObjectType)];
  if (format === undefined) throw new CommandError(`this command does not export ${ObjectType}`, EXIT.refused);
  const answer = await client.kmip('Get', [text('UniqueIdentifier', id), enumeration('KeyFormatType', format)]);
  const { KeyValue } = (answer[String(ObjectType)] as Members)['KeyBlock'] as Members;
  const bytes = Buffer.from(String((KeyValue as Members)['KeyMaterial']), 'hex');
  if (format === 'PKCS_8') return createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  return format === 'X_509' ? createPublicKey({ key: bytes, format: 'der', type: 'spki' }) : createSecretKey(bytes);
}

function encoded(key: KeyObject, format: string): Buffer {
  if (format === 'jwk') return Buffer.from(`${JSON.stringify(key.export({ format: 'jwk' }))}\n`);
  if (key.type === 'secret') {
    if (format === 'raw') return key.export();
    throw new CommandError('a secret key has no PEM: say --format raw or jwk', EXIT.usage);
  }
  const type = key.type === 'private' ? 'pkcs8' : 'spki';
  return Buffer.from(format === 'pem' ? key.export({ format: 'pem', type }) : key.export({ format: 'der', type }));
}

export const importKey = command<{ readonly alg?: string; readonly tag?: readonly string[]; readonly id?: string }>({
  name: 'import',
  about: 'Bring a key: PEM, JWK, or the bytes of a secret key. Prints its identifier',
  args: [['[file]', 'file to read (default: standard input)']],
  flags: [flag('--alg <name>', 'what the key is for, needed for bytes: A256GCM, HS256, ES256, PS256 ...'), flag('--tag <tag...>', 'tag; repeatable'), ID],
  example: 'gatehouse key import release.pem --alg ES256 --tag releases',
  async run(given, [file], { alg, tag = [], id }) {
    // The server gives each of its own keys an identifier, and passes over any other.
    if (id !== undefined && !id.startsWith('hsm::')) throw new CommandError('--id is for a key on an HSM: hsm::<model>::<slot>::<name>', EXIT.usage);
    const jwk = jwkOf(await wholeOf(file as string | undefined, given), alg);
    const told = { ...(alg === undefined ? {} : { alg }), ...(id === undefined ? {} : { kid: id }) };
    const { kid } = await given.client().call('POST /v1/crypto/keys', { body: { ...jwk, ...told } as unknown as NewKey });
    // Before the tags: the key stays also if one of them is refused.
    given.out.line(kid);
    if (tag.length > 0) await given.client().call('POST /v1/crypto/keys/{kid}/tags', { params: { kid }, body: { tags: tag } });
  },
});

function jwkOf(bytes: Buffer, alg: string | undefined): JsonWebKey {
  const start = bytes.subarray(0, 64).toString('latin1').trimStart();
  try {
    if (start.startsWith('-----BEGIN ')) return (start.includes('PUBLIC') ? createPublicKey(bytes) : createPrivateKey(bytes)).export({ format: 'jwk' });
    if (start.startsWith('{')) return JSON.parse(bytes.toString('utf8')) as JsonWebKey;
  } catch (error) {
    throw new CommandError(`the key cannot be read: ${(error as Error).message}`, EXIT.refused);
  }
  if (alg === undefined) throw new CommandError('say with --alg what these bytes are for: A256GCM, A256KW, HS256 ...', EXIT.usage);
  return { kty: 'oct', k: bytes.toString('base64url') };
}

/** A wrapped key as this command writes it: the object of KMIP as the server gave it, with what a new one needs to know. */
interface Wrapped {
  readonly ObjectType: string;
  readonly CryptographicUsageMask: number;
  readonly object: Node;
}

export const wrap = command<{ readonly with: string; readonly out?: string }>({
  name: 'wrap',
  about: 'Write a key wrapped by another key (AES key wrap, RFC 3394, or with padding RFC 5649)',
  args: [KEY],
  flags: [flag('--with <key>', 'the wrapping key'), OUT],
  example: 'gatehouse key wrap invoices --with transport -o invoices.wrapped',
  async run(given, [word], { with: wrapping, out }) {
    const id = await identifierOf(given.client(), word);
    const { ObjectType, CryptographicUsageMask } = await attributesOf(given.client(), id);
    // Only the bytes of secret keys are multiples of eight.
    const mode = ObjectType === 'SymmetricKey' ? 'NISTKeyWrap' : 'AESKeyWrapPadding';
    const body = {
      tag: 'Get',
      value: [text('UniqueIdentifier', id), ...formatOf(ObjectType), specification(await wrappingKey(given, wrapping), mode)] as unknown as Record<
        string,
        unknown
      >[],
    };
    const { value } = await given.client().call('POST /kmip/2_1', { body });
    const object = (value as unknown as Node[]).find(({ tag }) => tag === ObjectType) as Node;
    const wrapped: Wrapped = { ObjectType: String(ObjectType), CryptographicUsageMask: Number(CryptographicUsageMask), object };
    writeBytes(out, Buffer.from(`${JSON.stringify(wrapped)}\n`));
  },
});

const formatOf = (type: unknown): Node[] => (type === 'PrivateKey' ? [enumeration('KeyFormatType', 'PKCS_8')] : []);

async function wrappingKey(given: Surroundings, word: string | undefined): Promise<string> {
  if (word === undefined) throw new CommandError('--with KEY is missing: the wrapping key', EXIT.usage);
  return identifierOf(given.client(), word);
}

function specification(id: string, mode: string): Node {
  const key = structure('EncryptionKeyInformation', text('UniqueIdentifier', id), structure('CryptographicParameters', enumeration('BlockCipherMode', mode)));
  return structure('KeyWrappingSpecification', enumeration('WrappingMethod', 'Encrypt'), key, enumeration('EncodingOption', 'NoEncoding'));
}

export const unwrap = command<{ readonly name?: string; readonly id?: string }>({
  name: 'unwrap',
  about: 'Bring a key that wrap has written; the server unwraps it with the same wrapping key. Prints its identifier',
  args: [['[file]', 'file to read (default: standard input)']],
  flags: [flag('--name <name>', 'name of the key'), ID],
  example: 'gatehouse key unwrap invoices.wrapped --name invoices-again',
  async run(given, [file], { name, id = globalThis.crypto.randomUUID() }) {
    const { ObjectType, CryptographicUsageMask, object } = wrappedIn((await wholeOf(file as string | undefined, given)).toString('utf8'));
    const attributes = structure(
      'Attributes',
      integer('CryptographicUsageMask', CryptographicUsageMask),
      date('ActivationDate', new Date(Date.now() - 1_000)),
      ...(name === undefined ? [] : [nameAttribute(name)]),
    );
    // Import unwraps; Register would keep the key as it came.
    const members = [text('UniqueIdentifier', id), enumeration('ObjectType', ObjectType), enumeration('KeyWrapType', 'NotWrapped'), attributes, object];
    const { UniqueIdentifier } = await given.client().kmip('Import', members);
    given.out.line(String(UniqueIdentifier));
  },
});

function wrappedIn(content: string): Wrapped {
  const wrapped = jsonIn(content) as Wrapped | null | undefined;
  if (typeof wrapped?.object?.tag === 'string' && typeof wrapped.CryptographicUsageMask === 'number') return wrapped;
  throw new CommandError('the file is not a wrapped key as this command writes it', EXIT.wrong);
}
