// Hash functions: "abc" of FIPS 180-4, FIPS 202, RFC 1321 and ISO 10118-3, and the names that are refused.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'uvu';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { hash, hashBytes, hashStream, nodeHash } from '../../crypto/hash.ts';
import type { HashingAlgorithm } from '../../crypto/parameters.ts';

const ABC: [HashingAlgorithm, string][] = [
  ['MD5', '900150983cd24fb0d6963f7d28e17f72'],
  ['SHA_1', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['SHA_224', '23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7'],
  ['SHA_256', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['SHA_384', 'cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7'],
  ['SHA_512', 'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f'],
  ['SHA_512_224', '4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa'],
  ['SHA_512_256', '53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23'],
  ['SHA3_224', 'e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf'],
  ['SHA3_256', '3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532'],
  ['SHA3_384', 'ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25'],
  ['SHA3_512', 'b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0'],
  ['RIPEMD_160', '8eb208f7e05d987a9b044a8e98c6b087f15a0bfc'],
];

for (const [name, expected] of ABC) {
  test(`${name} of abc, whole and in pieces`, () => {
    deepEqual(Buffer.from(hash(name, Buffer.from('abc'))).toString('hex'), expected);
    const stream = hashStream(name);
    for (const piece of ['a', '', 'bc']) stream.update(Buffer.from(piece));
    deepEqual(Buffer.from(stream.digest()).toString('hex'), expected);
    equal(hashBytes(name), expected.length / 2);
  });
}

test('a hash that is not offered is refused by its name', () => {
  for (const name of ['MD2', 'MD4', 'Tiger', 'Whirlpool'] as const) {
    throws(
      () => nodeHash(name),
      (error: unknown) => error instanceof CryptoError && error.code === 'unsupported' && error.message.includes(name),
    );
  }
});

test.run();
