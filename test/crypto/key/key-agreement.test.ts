// Key agreement with DH: a public key outside the subgroup of the private key shows a part of it, and is refused.
import assert from 'node:assert/strict';
import { checkPrimeSync, generatePrimeSync, randomBytes } from 'node:crypto';
import { test } from 'uvu';
import { dhKey, dhParts } from '../../../crypto/key/discrete-log-key.ts';
import { agree } from '../../../crypto/key/key-agreement.ts';
import { power } from '../../../crypto/key/modular.ts';
import { requireSecret } from '../../../crypto/key/shared-secret.ts';
import { exportKey, importKey } from '../../../kmip/key-format/key-format.ts';
import { type Node, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

/** A group as DSA has them: P - 1 is Q times many small factors. */
function group(): { prime: bigint; subgroup: bigint; generator: bigint } {
  const subgroup = generatePrimeSync(256, { bigint: true });
  const half = 2n * subgroup * 3n * 5n * 7n;
  for (;;) {
    const prime = half * (BigInt(`0x${randomBytes(95).toString('hex')}`) | 1n) + 1n;
    if (!checkPrimeSync(prime)) continue;
    const generator = power(2n, (prime - 1n) / subgroup, prime);
    if (generator > 1n) return { prime, subgroup, generator };
  }
}

const own = group();
const { prime, subgroup, generator } = own;
/** One modulo the small factors: no shared secret is 1, which OpenSSL refuses itself. */
const secret = subgroup / 2n - ((subgroup / 2n) % 105n) + 1n;
const privateKey = dhKey('PrivateKey', { ...own, value: secret });
const theirs = subgroup / 5n;
const refused = (error: unknown) => (error as Error).message === 'key agreement failed with these keys';

/** An element of this small order. */
function ofOrder(order: bigint): bigint {
  for (let base = 2n; ; base++) {
    const element = power(base, (prime - 1n) / order, prime);
    if (element !== 1n) return element;
  }
}

test('public keys in the subgroup, with and without its order', () => {
  const value = power(generator, theirs, prime);
  const shared = power(value, secret, prime);
  for (const publicKey of [dhKey('PublicKey', { ...own, value }), dhKey('PublicKey', { prime, generator, value })])
    assert.equal(BigInt(`0x${Buffer.from(agree(privateKey, publicKey)).toString('hex')}`), shared);
});

test('public keys outside the subgroup, also those that tell another order or none', () => {
  for (const order of [3n, 5n, 7n]) {
    const small = ofOrder(order);
    for (const value of [small, (small * power(generator, theirs, prime)) % prime])
      for (const told of [{ subgroup }, {}, { subgroup: order }, { subgroup: prime - 1n }])
        assert.throws(() => agree(privateKey, dhKey('PublicKey', { prime, generator, value, ...told })), refused);
  }
});

test('an order that is not that of the generator says nothing', () => {
  const value = ofOrder(3n);
  const other = dhKey('PrivateKey', { prime, generator, subgroup: subgroup + 2n, value: secret });
  assert.equal(agree(other, dhKey('PublicKey', { prime, generator, value })).length, Math.ceil(prime.toString(2).length / 8));
});

test('transparent structures keep the order', () => {
  const members = exportKey(privateKey, 'TransparentDHPrivateKey') as Node[];
  const back = importKey('PrivateKey', 'TransparentDHPrivateKey', structure(TAG.KeyMaterial, members), 'DH');
  assert.equal(dhParts(back).subgroup, subgroup);
  assert.deepEqual(exportKey(back, 'TransparentDHPrivateKey'), members);
  assert.throws(() => agree(back, dhKey('PublicKey', { prime, generator, value: ofOrder(5n) })), refused);
});

test('a shared secret of all zeros is none', () => {
  assert.throws(() => requireSecret(new Uint8Array(32)), refused);
  const secret = Uint8Array.of(0, 1);
  assert.equal(requireSecret(secret), secret);
});

test.run();
