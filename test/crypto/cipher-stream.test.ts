// Every cipher: back to the plaintext, the same in pieces as whole, and no answer for what was changed.
import { deepEqual, equal, notDeepEqual, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { type Cipher, type CipherStream, cipherFor } from '../../crypto/cipher/cipher.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import type { BlockCipherMode, CryptographicAlgorithm, CryptographicParameters, PaddingMethod } from '../../crypto/parameters.ts';

type Choice = [CryptographicAlgorithm, BlockCipherMode | undefined, PaddingMethod | undefined, number];
const STREAMS: Choice[] = [
  ...(['GCM', 'CTR', 'CFB', 'OFB'] as const).map((mode): Choice => ['AES', mode, undefined, 32]),
  ...(['PKCS5', 'ANSIX9_23', 'ISO10126'] as const).flatMap((padding): Choice[] => [
    ['AES', 'CBC', padding, 16],
    ['AES', 'ECB', padding, 24],
    ['DES3', 'CBC', padding, 24],
  ]),
  ['DES3', 'OFB', undefined, 16],
  ['Camellia', 'CBC', undefined, 32],
  ['ARIA', 'GCM', undefined, 24],
  ['SM4', 'CTR', undefined, 16],
  ['ChaCha20', undefined, undefined, 32],
  ['ChaCha20Poly1305', 'AEAD', undefined, 32],
];
const WHOLE: Choice[] = [
  ['AES', 'CCM', undefined, 16],
  ['AES', 'GCMSIV', undefined, 32],
];

const chosen = ([algorithm, blockCipherMode, paddingMethod, keyBytes]: Choice): Cipher => {
  const parameters: CryptographicParameters = { ...(blockCipherMode && { blockCipherMode }), ...(paddingMethod && { paddingMethod }) };
  return cipherFor(algorithm, parameters, keyBytes);
};
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const inputs = (cipher: Cipher, keyBytes: number) =>
  fc.record({ key: bytes(keyBytes), iv: bytes(cipher.ivBytes ?? 0), aad: fc.uint8Array({ maxLength: 40 }), data: fc.uint8Array({ maxLength: 100 }) });

function inPieces(stream: CipherStream, data: Uint8Array, cuts: readonly number[]): [Buffer, Uint8Array | undefined] {
  const at = [0, ...cuts.map((cut) => cut % (data.length + 1)).sort((a, b) => a - b), data.length];
  const out = at.slice(1).map((end, i) => stream.update(data.subarray(at[i], end)));
  const { data: rest, tag } = stream.final();
  return [Buffer.concat([...out, rest]), tag];
}

for (const choice of [...STREAMS, ...WHOLE]) {
  const cipher = chosen(choice);
  const title = `${cipher.name} ${choice[2] ?? ''}`;

  test(`${title}: decryption gives the plaintext`, () => {
    const property = fc.property(inputs(cipher, choice[3]), ({ key, data, ...input }) => {
      const sealed = cipher.encrypt(key, { ...input, data });
      deepEqual(Buffer.from(cipher.decrypt(key, { ...input, ...sealed })), Buffer.from(data));
    });
    fc.assert(property, { numRuns: 40 });
  });

  if (cipher.authenticated) {
    test(`${title}: a changed bit anywhere is found`, () => {
      const property = fc.property(inputs(cipher, choice[3]), fc.nat(3), fc.nat(), fc.nat(7), ({ key, iv, aad, data }, which, place, bit) => {
        const sealed = cipher.encrypt(key, { iv, aad, data });
        const parts = [iv, aad, sealed.data, sealed.tag ?? new Uint8Array()].map((part) => Uint8Array.from(part));
        const part = parts[which] ?? new Uint8Array();
        fc.pre(part.length > 0);
        const index = place % part.length;
        part[index] = (part[index] ?? 0) ^ (1 << bit);
        const [changedIv, changedAad, changedData = data, tag] = parts;
        throws(
          () => cipher.decrypt(key, { iv: changedIv, aad: changedAad, data: changedData, tag }),
          (error: unknown) => error instanceof CryptoError && error.code === 'failed',
        );
      });
      fc.assert(property, { numRuns: 40 });
    });

    test(`${title}: the tag must be there and have its length`, () => {
      const key = Buffer.alloc(choice[3], 1);
      const iv = Buffer.alloc(12);
      const { data, tag = new Uint8Array() } = cipher.encrypt(key, { iv, data: Buffer.from('data') });
      throws(() => cipher.decrypt(key, { iv, data }), /tag is missing/);
      throws(() => cipher.decrypt(key, { iv, data, tag: tag.subarray(0, 8) }), /invalid tag length: 16 bytes are needed, 8 were given/);
    });
  }
}

for (const choice of STREAMS) {
  const cipher = chosen(choice);
  const { encryptor, decryptor } = cipher;
  test(`${cipher.name} ${choice[2] ?? ''}: pieces give what the whole gives`, () => {
    if (encryptor === undefined || decryptor === undefined) throw new Error('does not stream');
    const property = fc.property(inputs(cipher, choice[3]), fc.array(fc.nat(), { maxLength: 6 }), ({ key, data, ...input }, cuts) => {
      const [pieces, tag] = inPieces(encryptor(key, input), data, cuts);
      const sealed = cipher.encrypt(key, { ...input, data });
      if (choice[2] !== 'ISO10126') deepEqual(pieces, Buffer.from(sealed.data));
      deepEqual(tag, sealed.tag);
      deepEqual(inPieces(decryptor(key, { ...input, tag }), pieces, cuts)[0], Buffer.from(data));
    });
    fc.assert(property, { numRuns: 40 });
  });
}

test('modes that need the whole data do not stream', () => {
  for (const choice of [...WHOLE, ['AES', 'XTS', undefined, 64], ['AES', 'NISTKeyWrap', undefined, 16]] as Choice[]) equal(chosen(choice).encryptor, undefined);
});

test('zeros as padding: nothing is added to whole blocks, and ending zeros do not come back', () => {
  const cipher = cipherFor('AES', { blockCipherMode: 'CBC', paddingMethod: 'Zeros' }, 16);
  const input = { iv: Buffer.alloc(16) };
  const key = Buffer.alloc(16, 7);
  const back = (data: Buffer) => Buffer.from(cipher.decrypt(key, { ...input, ...cipher.encrypt(key, { ...input, data }) }));
  equal(cipher.encrypt(key, { ...input, data: Buffer.alloc(16, 1) }).data.length, 16);
  deepEqual(back(Buffer.alloc(16, 1)), Buffer.alloc(16, 1));
  deepEqual(back(Buffer.from('0102', 'hex')), Buffer.from('0102', 'hex'));
  deepEqual(back(Buffer.from('010200', 'hex')), Buffer.from('0102', 'hex'));
  deepEqual(back(Buffer.alloc(0)), Buffer.alloc(0));
});

test('ANSI X9.23 counts in the last byte after zeros, ISO 10126 after random bytes', () => {
  const key = Buffer.alloc(16, 7);
  const raw = cipherFor('AES', { blockCipherMode: 'ECB' }, 16);
  const padded = (paddingMethod: PaddingMethod) =>
    raw.decrypt(key, cipherFor('AES', { blockCipherMode: 'ECB', paddingMethod }, 16).encrypt(key, { data: Buffer.alloc(4, 9) }));
  deepEqual(Buffer.from(padded('ANSIX9_23')).toString('hex'), '0909090900000000000000000000000c');
  equal(padded('ISO10126').at(-1), 12);
  notDeepEqual(padded('ISO10126'), padded('ISO10126'));
});

test('a padding that is not one is refused in the same words as a length that cannot be', () => {
  const key = Buffer.alloc(16, 7);
  const { data } = cipherFor('AES', { blockCipherMode: 'ECB' }, 16).encrypt(key, { data: Buffer.alloc(16, 0x55) });
  for (const paddingMethod of ['PKCS5', 'ANSIX9_23', 'ISO10126'] as const) {
    const cipher = cipherFor('AES', { blockCipherMode: 'ECB', paddingMethod }, 16);
    for (const wrong of [data, data.subarray(1), Buffer.alloc(0)]) throws(() => cipher.decrypt(key, { data: wrong }), /could not be decrypted/);
  }
});

test.run();
