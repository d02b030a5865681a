// What a client may register: content that no key, request or splitting could have is refused.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { describeContent } from '../../../../actors/kmip/object/registered.ts';
import { AttributeSet } from '../../../../kmip/attribute/set.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bigInteger, bytes, integer, type Node, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { BROUGHT, certificateRequest, code, DATA, keyBlock } from '../../../fuzz/members.ts';

/** The reason of the refusal; undefined for what may be registered. */
function refusal(type: keyof typeof ENUM.ObjectType, content: Structure): string | undefined {
  try {
    describeContent(ENUM.ObjectType[type], content, new AttributeSet(), []);
    return undefined;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal) return refusal.reason;
    throw error;
  }
}

test('a part of a split key is one of its parts, and has the prime of its method', () => {
  const part = (identifier: number, threshold: number, method: keyof typeof ENUM.SplitKeyMethod, ...more: Node[]) =>
    refusal(
      'SplitKey',
      structure(TAG.SplitKey, [
        integer(TAG.SplitKeyParts, 3),
        integer(TAG.KeyPartIdentifier, identifier),
        integer(TAG.SplitKeyThreshold, threshold),
        code('SplitKeyMethod', method),
        ...more,
        keyBlock(BROUGHT, 'Raw'),
      ]),
    );
  for (const identifier of [1, 3]) assert.equal(part(identifier, 3, 'XOR'), undefined);
  for (const identifier of [0, -1, 4]) assert.equal(part(identifier, 3, 'XOR'), 'InvalidField');
  for (const threshold of [0, 4]) assert.equal(part(1, threshold, 'XOR'), 'InvalidField');
  assert.equal(part(1, 2, 'PolynomialSharingPrimeField'), 'InvalidField');
  assert.equal(part(1, 2, 'PolynomialSharingPrimeField', bigInteger(TAG.PrimeFieldSize, 2n ** 521n - 1n)), undefined);
});

test('a PKCS#10 request is one that its own key has signed; of other kinds nothing is known', () => {
  const request = (type: keyof typeof ENUM.CertificateRequestType) =>
    structure(TAG.CertificateRequest, [code('CertificateRequestType', type), bytes(TAG.CertificateRequestValue, DATA)]);
  assert.equal(refusal('CertificateRequest', certificateRequest), undefined);
  assert.deepEqual(
    (['PKCS_10', 'PEM', 'CRMF'] as const).map((type) => refusal('CertificateRequest', request(type))),
    ['InvalidCSR', 'InvalidCSR', undefined],
  );
});

test('a symmetric key is in a format of symmetric keys', () => {
  const key = (format: keyof typeof ENUM.KeyFormatType) =>
    refusal(
      'SymmetricKey',
      structure(TAG.SymmetricKey, [keyBlock(BROUGHT, format, code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 128))]),
    );
  assert.deepEqual((['Raw', 'Opaque', 'PKCS_1', 'X_509'] as const).map(key), [undefined, undefined, 'KeyFormatTypeNotSupported', 'KeyFormatTypeNotSupported']);
});

test.run();
