// Parameters of requests and objects: what is read, what completes what, what contradicts.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { effectiveAlgorithm, effectiveParameters, type Purpose, parametersOf } from '../../../../actors/kmip/object/cryptographic-parameters.ts';
import type { CryptographicParameters } from '../../../../crypto/parameters.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, enumeration, integer, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { parameters, payload, refused, secret } from '../../../fakes/keys.ts';

const of = (...nodes: Node[]) => parametersOf(structure(TAG.CryptographicParameters, nodes));

test('every field is read by its name', () => {
  const fields = [
    ...[enumeration(TAG.BlockCipherMode, 9), enumeration(TAG.PaddingMethod, 2), enumeration(TAG.HashingAlgorithm, 6)],
    ...[
      enumeration(TAG.DigitalSignatureAlgorithm, ENUM.DigitalSignatureAlgorithm.ECDSAWithSHA384),
      enumeration(TAG.CryptographicAlgorithm, 3),
      boolean(TAG.RandomIV, true),
    ],
    ...[integer(TAG.IVLength, 96), integer(TAG.TagLength, 16), integer(TAG.FixedFieldLength, 1), integer(TAG.InvocationFieldLength, 2)],
    ...[integer(TAG.CounterLength, 3), integer(TAG.InitialCounterValue, 4), integer(TAG.SaltLength, 5), integer(TAG.TrailerField, 1)],
    ...[enumeration(TAG.MaskGenerator, 1), enumeration(TAG.MaskGeneratorHashingAlgorithm, 4), bytes(TAG.PSource, new Uint8Array([7]))],
    ...[enumeration(TAG.KeyRoleType, 1), text(TAG.Comment, 'not ours')],
  ];
  assert.deepEqual(of(...fields), {
    ...{ blockCipherMode: 'GCM', paddingMethod: 'OAEP', hashingAlgorithm: 'SHA_256', digitalSignatureAlgorithm: 'ECDSAWithSHA384' },
    ...{ cryptographicAlgorithm: 'AES', randomIv: true, ivLength: 96, tagLength: 16, fixedFieldLength: 1, invocationFieldLength: 2 },
    ...{ counterLength: 3, initialCounterValue: 4, saltLength: 5, trailerField: 1, maskGenerator: 'MGF1', maskGeneratorHashingAlgorithm: 'SHA_1' },
    pSource: new Uint8Array([7]),
  });
});

test('wrong types and unknown codes are refused', async () => {
  for (const [node, words] of [
    [text(TAG.BlockCipherMode, 'GCM'), 'BlockCipherMode is TextString, not Enumeration'],
    [integer(TAG.RandomIV, 1), 'RandomIV is Integer, not Boolean'],
    [text(TAG.PSource, 'x'), 'PSource is TextString, not ByteString'],
    [enumeration(TAG.TagLength, 1), 'TagLength is Enumeration, not Integer'],
  ] as const)
    await refused(() => of(node), 'InvalidMessage', words);
  await refused(() => of(enumeration(TAG.BlockCipherMode, 0x99)), 'InvalidField', 'BlockCipherMode');
});

const HMAC: CryptographicParameters = { cryptographicAlgorithm: 'HMAC_SHA256' };
const PSS: CryptographicParameters = { paddingMethod: 'PSS', hashingAlgorithm: 'SHA_256' };
const RSASSA_PSS: CryptographicParameters = { digitalSignatureAlgorithm: 'RSASSA_PSS' };
const RSA_256: CryptographicParameters = { digitalSignatureAlgorithm: 'SHA_256WithRSAEncryption' };
const CBC: CryptographicParameters = { blockCipherMode: 'CBC', paddingMethod: 'PKCS5' };
const GCM: CryptographicParameters = { blockCipherMode: 'GCM', tagLength: 12 };
const OAEP: CryptographicParameters = { paddingMethod: 'OAEP', hashingAlgorithm: 'SHA_384' };

const CASES: [string, CryptographicParameters[], CryptographicParameters | undefined, Purpose, CryptographicParameters][] = [
  ['nothing anywhere', [], undefined, 'encryption', {}],
  ['the request alone', [], GCM, 'encryption', GCM],
  ['the first of the object for the purpose', [HMAC, PSS, CBC, GCM], undefined, 'encryption', CBC],
  ['the same for signatures', [HMAC, OAEP, CBC, PSS], undefined, 'signature', PSS],
  ['the same for MACs', [GCM, PSS, HMAC], undefined, 'mac', HMAC],
  ['none of the object is for the purpose', [HMAC], undefined, 'encryption', {}],
  ['an empty structure says nothing', [CBC], {}, 'encryption', CBC],
  ['the request is completed', [CBC, GCM], { blockCipherMode: 'GCM' }, 'encryption', GCM],
  ['a contradiction completes nothing', [CBC], { blockCipherMode: 'ECB' }, 'encryption', { blockCipherMode: 'ECB' }],
  ['another hash in a signature algorithm is one', [{ hashingAlgorithm: 'SHA_1', paddingMethod: 'PKCS1V1_5' }], RSA_256, 'signature', RSA_256],
  ['another hash than that of a signature algorithm too', [RSA_256], { hashingAlgorithm: 'SHA_512' }, 'signature', { hashingAlgorithm: 'SHA_512' }],
  ['and than that of an HMAC', [{ hashingAlgorithm: 'SHA_1' }], HMAC, 'mac', HMAC],
  ['and another padding than RSASSA_PSS has', [{ paddingMethod: 'PKCS1V1_5' }], RSASSA_PSS, 'signature', RSASSA_PSS],
  ['what says the same completes', [PSS, RSA_256], RSASSA_PSS, 'signature', { ...PSS, ...RSASSA_PSS }],
  ['the request wins', [GCM], { blockCipherMode: 'GCM', tagLength: 16 }, 'encryption', { blockCipherMode: 'GCM', tagLength: 16 }],
];

for (const [name, stored, asked, purpose, expected] of CASES) {
  test(`effective parameters: ${name}`, () => {
    const object = secret('k', new Uint8Array(16), 'AES', { attributes: [] });
    for (const each of stored) object.attributes.add(parameters(each));
    assert.deepEqual(effectiveParameters(payload({ ...(asked && { parameters: asked }) }), object, purpose), expected);
  });
}

test('the algorithm is the one of the parameters, else of the key', () => {
  const key = secret('k', new Uint8Array(16), 'AES');
  assert.equal(effectiveAlgorithm({}, key), 'AES');
  assert.equal(effectiveAlgorithm(HMAC, key), 'HMAC_SHA256');
});

test.run();
