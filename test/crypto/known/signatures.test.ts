// Published signatures: RSA by PKCS#1 v1.5 and PSS, DSA, ECDSA on P-384, P-521 and secp256k1, ML-DSA and SLH-DSA; the right ones and the wrong ones.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { bytes } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { data, digestOf, type KeyHolder, type Parameters, raw, startKeyHolder, table } from './key-holder.ts';

interface Signed {
  /** Of the test in its source. */
  readonly id: number | string;
  readonly why?: string;
  readonly message: string;
  readonly signature: string;
}

interface Verification {
  readonly source: string;
  readonly publicKey: string;
  /** Of a key that is raw bytes. */
  readonly algorithm?: CryptographicAlgorithm;
  readonly parameters?: Parameters;
  readonly tests: readonly (Signed & { readonly valid: boolean })[];
}

interface Signing {
  readonly source: string;
  readonly privateKey: string;
  readonly parameters: Parameters;
  readonly tests: readonly Signed[];
}

interface Pair {
  readonly source: string;
  readonly algorithm: CryptographicAlgorithm;
  readonly seed?: string;
  readonly privateKey?: string;
  readonly publicKey: string;
}

const rsa = table<{ readonly verify: readonly Verification[]; readonly sign: readonly Signing[] }>('rsa');
const postQuantum = ['ml-dsa', 'slh-dsa'].map((name) => table<{ readonly verify: readonly Verification[]; readonly pairs: readonly Pair[] }>(name));
const VERIFICATIONS: Readonly<Record<string, readonly Verification[]>> = {
  'RSA by PKCS#1 v1.5': rsa.verify.filter(({ parameters }) => parameters?.['PaddingMethod'] === 'PKCS1V1_5'),
  'RSA by PSS': rsa.verify.filter(({ parameters }) => parameters?.['PaddingMethod'] === 'PSS'),
  DSA: table('dsa'),
  'ECDSA on P-384, P-521 and secp256k1': table('ecdsa'),
  'ML-DSA and SLH-DSA': postQuantum.flatMap(({ verify }) => verify),
};

let holder: KeyHolder;
test.before(async () => {
  holder = await startKeyHolder();
});
test.after(() => holder?.end());

for (const [name, groups] of Object.entries(VERIFICATIONS)) {
  test(`${name}: what is published as valid is, whichever way it comes, and nothing else`, async () => {
    const seen = new Set<boolean>();
    for (const { source, publicKey, algorithm, parameters = {}, tests } of groups) {
      const key = await holder.hold('PublicKey', publicKey, algorithm);
      for (const { id, why, message, signature, valid } of tests) {
        seen.add(valid);
        // A key that is none is refused before anything is verified by it.
        if (key === undefined) assert.equal(valid, false, `${source} ${id}: the key is refused`);
        else {
          const found = Object.values(await holder.verify(key, parameters, message, signature));
          assert.deepEqual([...new Set(found)], [valid ? 'Valid' : 'Invalid'], `${source} ${id}, ${why}: ${found}`);
        }
      }
    }
    assert.deepEqual([...seen].sort(), [false, true]);
  });
}

test('RSA by PKCS#1 v1.5 makes the published signature, of the data and of its digest', async () => {
  for (const { source, privateKey, parameters, tests } of rsa.sign) {
    const key = (await holder.hold('PrivateKey', privateKey)) as string;
    for (const { id, message, signature } of tests) {
      const digest = bytes(TAG.DigestedData, raw(digestOf(parameters['HashingAlgorithm'], message)));
      for (const input of [data(message), digest]) {
        assert.equal(await holder.bytes('SignatureData', 'Sign', key, parameters, input), signature, `${source} ${id}`);
      }
    }
  }
});

test('ML-DSA and SLH-DSA: the published private key, or the seed of it, signs for the published public key', async () => {
  for (const { source, algorithm, seed, privateKey, publicKey } of postQuantum.flatMap(({ pairs }) => pairs)) {
    const signer = (await holder.hold('PrivateKey', (seed ?? privateKey) as string, algorithm)) as string;
    const verifier = (await holder.hold('PublicKey', publicKey, algorithm)) as string;
    const signature = await holder.bytes('SignatureData', 'Sign', signer, {}, data('00ff'));
    assert.deepEqual(await holder.verify(verifier, {}, '00ff', signature), { whole: 'Valid', parts: 'Valid' }, source);
    assert.deepEqual(await holder.verify(verifier, {}, '00fe', signature), { whole: 'Invalid', parts: 'Invalid' }, source);
  }
});

test.run();
