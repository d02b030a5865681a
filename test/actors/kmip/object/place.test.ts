// Every operation that makes objects asks where before it makes anything: a place that takes nothing is told before whatever is wrong with the making.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import { createKey } from '../../../../actors/kmip/jose/create-key.ts';
import { unwrapKey } from '../../../../actors/kmip/jose/unwrap-key.ts';
import type { ObjectSource } from '../../../../actors/kmip/object/object-source.ts';
import { OPERATIONS } from '../../../../actors/kmip/operations/index.ts';
import type { OperationName } from '../../../../kmip/operation-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { integer, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { privateKey, publicKey, secret } from '../../../fakes/keys.ts';
import { ObjectsInMemory, UNREAD } from '../../../fakes/objects.ts';
import { attributes, code, id, keyBlock, symmetricKey } from '../../../fuzz/members.ts';

const CHOSEN = id('hsm::soft_hsm::0::new');
const { privateKey: ownPrivate, publicKey: ownPublic } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const linked = (to: string, type: 'PublicKeyLink' | 'PrivateKeyLink') => [structure(TAG.Link, [code('LinkType', type), text(TAG.LinkedObjectIdentifier, to)])];
const OBJECTS = [
  secret('key', new Uint8Array(32)),
  privateKey('private', ownPrivate, 'ECDSA', { attributes: linked('public', 'PublicKeyLink') }),
  publicKey('public', ownPublic, 'ECDSA', { attributes: linked('private', 'PrivateKeyLink') }),
];

const tooShort = [code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 7)];
const brokenPair = [code('CryptographicAlgorithm', 'RSA'), integer(TAG.CryptographicLength, 8)];
const notPkcs12 = structure(TAG.PrivateKey, [keyBlock(new Uint8Array([1, 2, 3]), 'PKCS_12')]);
const notDerived = structure(TAG.DerivationParameters, []);

/** Requests for what cannot be made, whatever the place. */
const BROKEN: readonly (readonly [what: string, operation: OperationName, payload: readonly Node[], otherwise: RegExp])[] = [
  ['Create', 'Create', [code('ObjectType', 'SymmetricKey'), attributes(CHOSEN, ...tooShort)], /[Ll]ength/],
  ['CreateKeyPair', 'CreateKeyPair', [structure(TAG.CommonAttributes, [CHOSEN, ...brokenPair])], /length|bits/],
  ['Register', 'Register', [code('ObjectType', 'SymmetricKey'), attributes(CHOSEN, ...tooShort), symmetricKey(new Uint8Array(16))], /differ|not|length/],
  ['Register of a PKCS#12 file', 'Register', [code('ObjectType', 'PrivateKey'), attributes(CHOSEN), notPkcs12], /PKCS#12/],
  ['Import', 'Import', [CHOSEN, code('ObjectType', 'SymmetricKey'), attributes(...tooShort), symmetricKey(new Uint8Array(16))], /differ|not|length/],
  ['Import of a PKCS#12 file', 'Import', [CHOSEN, code('ObjectType', 'PrivateKey'), attributes(), notPkcs12], /PKCS#12/],
  [
    'DeriveKey',
    'DeriveKey',
    [code('ObjectType', 'SecretData'), id('missing'), code('DerivationMethod', 'HMAC'), notDerived, attributes(CHOSEN, integer(TAG.CryptographicLength, 128))],
    /missing/,
  ],
  ['ReKey', 'ReKey', [id('key'), attributes(CHOSEN, integer(TAG.CryptographicLength, 7))], /[Ll]ength/],
  ['ReKeyKeyPair', 'ReKeyKeyPair', [text(TAG.PrivateKeyUniqueIdentifier, 'private'), structure(TAG.PrivateKeyAttributes, [CHOSEN])], /nothing/],
  ['Certify', 'Certify', [id('public'), attributes(CHOSEN, ...linked('missing', 'PrivateKeyLink'))], /missing/],
  ['JoinSplitKey', 'JoinSplitKey', [code('ObjectType', 'SymmetricKey'), id('missing'), attributes(CHOSEN)], /missing/],
  [
    'CreateSplitKey',
    'CreateSplitKey',
    [
      ...[
        code('ObjectType', 'SymmetricKey'),
        integer(TAG.SplitKeyParts, 3),
        integer(TAG.SplitKeyThreshold, 2),
        code('SplitKeyMethod', 'PolynomialSharingGF28'),
      ],
      attributes(CHOSEN, ...tooShort),
    ],
    /[Ll]ength/,
  ],
];

const named = async (operation: OperationName, payload: readonly Node[], isChosen: boolean) => {
  const without = (node: Node): Node[] =>
    node === CHOSEN ? [] : [Array.isArray(node.value) ? structure(node.tag, (node.value as Node[]).flatMap(without)) : node];
  const ctx = new ObjectsInMemory(OBJECTS);
  const run = OPERATIONS[operation]?.run as NonNullable<(typeof OPERATIONS)['Create']>['run'];
  return run(structure(TAG.RequestPayload, isChosen ? payload : payload.flatMap(without)), ctx);
};

for (const [what, operation, payload, otherwise] of BROKEN)
  test(`${what}: the place is asked first`, async () => {
    const refusal = (error: unknown) =>
      error instanceof Refusal &&
      error.reason === 'InvalidField' &&
      /^hsm::soft_hsm::0::new(_1|_pk)? cannot be made: No HSM is configured$/.test(error.message);
    await assert.rejects(named(operation, payload, true), refusal);
    // What is wrong besides is wrong in every place.
    if (what !== 'ReKeyKeyPair')
      await assert.rejects(named(operation, payload, false), (error: Error) => otherwise.test(error.message) || assert.fail(error.message));
  });

test('a pair is not generated where it cannot be kept', async () => {
  let generated = 0;
  const ctx = Object.assign(new ObjectsInMemory([]), {
    aside: (work: () => Promise<unknown>) => {
      generated += 1;
      return work();
    },
  });
  const pair = (...more: Node[]) => structure(TAG.RequestPayload, [structure(TAG.CommonAttributes, [code('CryptographicAlgorithm', 'RSA'), ...more])]);
  await assert.rejects(OPERATIONS.CreateKeyPair?.run(pair(CHOSEN), ctx as never) as Promise<unknown>, /No HSM is configured/);
  assert.equal(generated, 0);
  await OPERATIONS.CreateKeyPair?.run(pair(), ctx as never);
  assert.equal(generated, 1);
});

/** Takes nothing. */
const full: ObjectSource = {
  ...UNREAD,
  requirePlace(_id, type) {
    throw new Refusal('InvalidField', `full, also for a new ${Object.entries(ENUM.ObjectType).find(([, value]) => value === type)?.[0]}`);
  },
};

test('the JOSE API asks as well: for keys of every kind, and for those inside a JWE', async () => {
  const ctx = () => new ObjectsInMemory(OBJECTS, { main: full });
  for (const [body, kind] of [
    [{ kty: 'oct', alg: 'A256GCM' }, 'SymmetricKey'],
    [{ kty: 'RSA', alg: 'RS256', bits: 7 }, 'PrivateKey'],
    [{ kty: 'EC', crv: 'no curve' }, 'PrivateKey'],
    [{ kty: 'OKP', crv: 'no curve' }, 'PrivateKey'],
    [{ kty: 'OKP', alg: 'ML-DSA-1' }, 'PrivateKey'],
    [{ kty: 'AKP', alg: 'ML-DSA-1' }, 'PrivateKey'],
  ] as const)
    await assert.rejects(createKey(body, ctx()), new RegExp(`^Refusal: full, also for a new ${kind}|full, also for a new ${kind}`), JSON.stringify(body));
  const header = Buffer.from(JSON.stringify({ alg: 'A256KW', enc: 'A256GCM', kid: 'missing' })).toString('base64url');
  await assert.rejects(unwrapKey({ protected: header, encrypted_key: 'AAAA' }, ctx()), /full, also for a new SymmetricKey/);
});

test.run();
