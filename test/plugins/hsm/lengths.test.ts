// Wrong lengths, and data that do not decrypt, with keys on a token of SoftHSM: each refusal is word for word that of a key in software.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { skipWithout } from '../../system.ts';
import {
  boolean,
  bytes,
  curve,
  done,
  enumeration,
  type HsmServer,
  identifier,
  integer,
  kmip,
  makePair,
  parameters,
  startHsmServer,
  structure,
} from './hsm-server.ts';

type Member = ReturnType<typeof bytes>;

const KEY = Buffer.alloc(32, 7);
let server: HsmServer;
/** The same key, or pair, on the token and in software. */
const places = (name: string) => [`${server.prefix}${name}`, `software ${name}`] as const;

async function register(id: string): Promise<void> {
  const facts = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256)];
  const block = structure('KeyBlock', enumeration('KeyFormatType', 'Raw'), structure('KeyValue', bytes('KeyMaterial', KEY)), ...facts);
  const attributes = structure('Attributes', identifier(id), integer('CryptographicUsageMask', 0x3c));
  await done(kmip(server.admin, 'Register', enumeration('ObjectType', 'SymmetricKey'), attributes, structure('SymmetricKey', block)));
}

/** @param of an end of the identifier, as that of a public key */
async function bothSay(name: string, operation: string, members: readonly Member[], of = ''): Promise<string> {
  const said: string[] = [];
  for (const id of places(name)) {
    await activate(id + of);
    const { status, text, body } = await kmip(server.admin, operation, identifier(id + of), ...members);
    said.push(status === 200 ? `done` : String(body?.message ?? text));
  }
  const [onToken, inSoftware] = said as [string, string];
  assert.equal(onToken, inSoftware, `${operation} ${JSON.stringify(members).slice(0, 300)}`);
  return onToken;
}

const active = new Set<string>();
/** A key in software is not Active by itself. */
async function activate(id: string): Promise<void> {
  if (active.has(id) || !id.startsWith('software')) return;
  active.add(id);
  await done(kmip(server.admin, 'Activate', identifier(id)));
}

if (!skipWithout('softhsm2')) {
  test.before(async () => {
    server = await startHsmServer();
    for (const id of places('aes')) await register(id);
  });
  test.after(() => server.end());

  const mode = (name: string, ...more: Member[]) => parameters(enumeration('BlockCipherMode', name), ...more);
  const none = enumeration('PaddingMethod', 'None');
  const iv = (size: number) => bytes('IVCounterNonce', Buffer.alloc(size, 1));
  const tag = (size: number) => bytes('AuthenticatedEncryptionTag', Buffer.alloc(size));
  const data = (size: number) => bytes('Data', Buffer.alloc(size, 2));

  test('ciphers: IV, tag, data and counter', async () => {
    const refusedAs = async (expected: RegExp, operation: string, ...members: Member[]) => assert.match(await bothSay('aes', operation, members), expected);
    for (const operation of ['Encrypt', 'Decrypt']) {
      await refusedAs(/^Invalid_Field: invalid IV/, operation, mode('CBC'), data(16), iv(15));
      await refusedAs(/^Invalid_Field: without padding/, operation, mode('CBC', none), data(15), iv(16));
      await refusedAs(/^Invalid_Field: without padding/, operation, mode('ECB', none), data(17));
      await refusedAs(
        /^Invalid_Field: the counter has numbers for 32 bytes/,
        operation,
        mode('CTR', integer('CounterLength', 1)),
        data(40),
        bytes('IVCounterNonce', '00'.repeat(16)),
      );
      await refusedAs(/^Invalid_Field: AES-256-NISTKeyWrap/, operation, mode('NISTKeyWrap'), data(15));
    }
    await refusedAs(/^Cryptographic_Failure: CRYPTO: cannot decrypt: the data could not be decrypted/, 'Decrypt', mode('CBC'), data(17), iv(16));
    await refusedAs(/^Cryptographic_Failure: CRYPTO: cannot decrypt: the data could not be decrypted/, 'Decrypt', mode('CBC'), data(32), iv(16));
    await refusedAs(/^Invalid_Field: invalid tag length/, 'Decrypt', mode('GCM'), data(16), iv(12), tag(15));
    await refusedAs(/^Invalid_Field: invalid tag: the authenticated encryption tag is missing/, 'Decrypt', mode('GCM'), data(16), iv(12));
    await refusedAs(/^General_Failure: invalid tag length/, 'Decrypt', mode('GCM', integer('TagLength', 5)), data(16), iv(12), tag(5));
  });

  test('a failed integrity check is named, and not by what the library returns', async () => {
    assert.match(
      await bothSay('aes', 'Decrypt', [mode('GCM'), data(16), iv(12), tag(16)]),
      /^Cryptographic_Failure: CRYPTO: cannot decrypt: the data is not authentic/,
    );
    const aad = bytes('AuthenticatedEncryptionAdditionalData', 'AB');
    assert.match(
      await bothSay('aes', 'Decrypt', [mode('GCM'), data(16), iv(12), tag(16), aad]),
      /^Cryptographic_Failure: CRYPTO: cannot decrypt: the data is not authentic/,
    );
    assert.match(
      await bothSay('aes', 'Decrypt', [mode('NISTKeyWrap'), data(24)]),
      /^Cryptographic_Failure: CRYPTO: cannot decrypt: the key could not be unwrapped/,
    );
    for (const id of places('aes')) {
      const { CorrelationValue: value = '' } = await done(
        kmip(server.admin, 'Decrypt', identifier(id), mode('GCM'), data(16), iv(12), boolean('InitIndicator', true)),
      );
      const { body } = await kmip(server.admin, 'Decrypt', identifier(id), data(1), tag(16), bytes('CorrelationValue', value), boolean('FinalIndicator', true));
      assert.match(body.message, /^Cryptographic_Failure: CRYPTO: cannot decrypt: the data is not authentic/, id);
    }
  });

  test('pairs: digests, signatures, and data that do not decrypt', async () => {
    const [rsa, ec] = [
      [enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)],
      [enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')],
    ];
    for (const id of places('rsa')) await done(makePair(server.admin, id, ...rsa));
    for (const id of places('ec')) await done(makePair(server.admin, id, ...ec));
    const sha256 = enumeration('HashingAlgorithm', 'SHA_256');
    const signing = [parameters(sha256), parameters(sha256, enumeration('PaddingMethod', 'PSS'))];
    for (const name of ['rsa', 'ec'])
      for (const how of name === 'ec' ? signing.slice(0, 1) : signing) {
        for (const size of [0, 20, 31, 33, 64])
          assert.match(await bothSay(name, 'Sign', [how, bytes('DigestedData', Buffer.alloc(size, 1))]), /DigestedData: the digest must have 32 bytes/);
        await bothSay(name, 'Sign', [how, bytes('DigestedData', Buffer.alloc(32, 1)), data(4)]);
        for (const size of [0, 1, 63, 255, 257]) await bothSay(name, 'SignatureVerify', [how, data(4), bytes('SignatureData', Buffer.alloc(size, 1))], '_pk');
      }
    const sha1 = enumeration('HashingAlgorithm', 'SHA_1');
    for (const size of [0, 255, 256, 257])
      assert.equal(
        await bothSay('rsa', 'Decrypt', [parameters(enumeration('PaddingMethod', 'OAEP'), sha1), bytes('Data', Buffer.alloc(size, 1))]),
        'Cryptographic_Failure: CRYPTO: cannot decrypt: decryption failed',
      );
  });

  test.run();
}
