// Which version has what.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumerationValueExists, operationExists, type ProtocolVersion, tagExists } from '../../../kmip/ttlv/since.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

const VERSIONS = ['1.0', '1.1', '1.2', '1.3', '1.4', '2.0', '2.1', '3.0'];
const in_ = (exists: (version: ProtocolVersion) => boolean) =>
  VERSIONS.filter((version) => {
    const [major, minor] = version.split('.').map(Number) as [number, number];
    return exists({ major, minor });
  }).join(' ');
const ALL = VERSIONS.join(' ');

test('tags', () => {
  const told = (tag: number) => in_((version) => tagExists(tag, version));
  assert.equal(told(TAG.UniqueIdentifier), ALL);
  assert.equal(told(TAG.Fresh), '1.1 1.2 1.3 1.4 2.0 2.1 3.0');
  assert.equal(told(TAG.CertificateLength), '1.1 1.2 1.3 1.4 2.0 2.1 3.0');
  assert.equal(told(TAG.OriginalCreationDate), '1.2 1.3 1.4 2.0 2.1 3.0');
  assert.equal(told(TAG.RandomNumberGenerator), '1.3 1.4 2.0 2.1 3.0');
  assert.equal(told(TAG.Sensitive), '1.4 2.0 2.1 3.0');
  assert.equal(told(TAG.Attributes), '2.0 2.1 3.0');
  assert.equal(told(TAG.RotateName), '2.1 3.0');
  assert.equal(told(TAG.TemplateAttribute), '1.0 1.1 1.2 1.3 1.4');
  assert.equal(told(TAG.OperationPolicyName), '1.0 1.1 1.2 1.3 1.4');
  assert.equal(told(TAG.NextLink), '3.0');
  assert.equal(told(TAG.KEMAlgorithm), '3.0');
  assert.equal(told(TAG.Cascade), ALL);
});

test('operations', () => {
  const told = (code: number) => in_((version) => operationExists(code, version));
  assert.equal(told(ENUM.Operation.Create), ALL);
  assert.equal(told(ENUM.Operation.DiscoverVersions), '1.1 1.2 1.3 1.4 2.0 2.1 3.0');
  assert.equal(told(ENUM.Operation.Encrypt), '1.2 1.3 1.4 2.0 2.1 3.0');
  assert.equal(told(ENUM.Operation.JoinSplitKey), '1.2 1.3 1.4 2.0 2.1 3.0');
  assert.equal(told(ENUM.Operation.Import), '1.4 2.0 2.1 3.0');
  assert.equal(told(ENUM.Operation.SetAttribute), '2.0 2.1 3.0');
  assert.equal(told(ENUM.Operation.Ping), '2.1 3.0');
  assert.equal(told(ENUM.Operation.Obliterate), '3.0');
  assert.equal(told(0x80000001), ALL);
});

test('values of enumerations', () => {
  const told = (name: keyof typeof ENUM, code: number) => in_((version) => enumerationValueExists(name, code, version));
  assert.equal(told('ObjectType', ENUM.ObjectType.Template), '1.0 1.1 1.2 1.3 1.4');
  assert.equal(told('ObjectType', ENUM.ObjectType.PGPKey), '1.2 1.3 1.4 2.0 2.1 3.0');
  assert.equal(told('ObjectType', ENUM.ObjectType.CertificateRequest), '2.0 2.1 3.0');
  assert.equal(told('ResultReason', ENUM.ResultReason.GeneralFailure), ALL);
  assert.equal(told('ResultReason', ENUM.ResultReason.IllegalOperation), '1.0 1.1 1.2 1.3 1.4');
  assert.equal(told('ResultReason', ENUM.ResultReason.ObjectNotFound), '2.0 2.1 3.0');
  assert.equal(told('HashingAlgorithm', ENUM.HashingAlgorithm.SHA3_256), '1.4 2.0 2.1 3.0');
  assert.equal(told('CryptographicAlgorithm', ENUM.CryptographicAlgorithm.EC), '1.2 1.3 1.4 2.0 2.1 3.0');
  assert.equal(told('CryptographicAlgorithm', ENUM.CryptographicAlgorithm.MLKEM_512), '2.1 3.0');
  assert.equal(told('CryptographicAlgorithm', ENUM.CryptographicAlgorithm.FPE_FF1), ALL);
  assert.equal(told('KeyFormatType', ENUM.KeyFormatType.TransparentECDSAPrivateKey), '1.0 1.1 1.2 1.3 1.4');
  assert.equal(told('KeyFormatType', ENUM.KeyFormatType.TransparentECPrivateKey), '1.3 1.4 2.0 2.1 3.0');
  assert.equal(told('UniqueIdentifier', ENUM.UniqueIdentifier.IDPlaceholder), '2.0 2.1 3.0');
  assert.equal(told('State', ENUM.State.Active), ALL);
});

test.run();
