// What PyKMIP does in each of its versions, and what each step must bring.
import assert from 'node:assert/strict';

export const MESSAGE = 'All that is gold does not glitter';
export const VERSIONS = ['1.0', '1.1', '1.2', '1.3', '1.4', '2.0'];

export type Line = { readonly version: string; readonly step: string; readonly ok?: unknown; readonly error?: string };
/** What a step must bring: a value, or a look at it. Since which version it is done, and up to which. */
type Step = readonly [step: string, expected: unknown, since?: string, until?: string];

const isIdentifier = (value: unknown) => assert.match(String(value), /^[0-9a-f-]{36}$/);
const isHex = (bytes: number) => (value: unknown) => assert.match(String(value), new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
const includes =
  (...names: string[]) =>
  (value: unknown) =>
    assert.deepEqual(
      names.filter((name) => !(value as string[]).includes(name)),
      [],
    );
const ATTRIBUTES = [
  'Cryptographic Algorithm',
  'Cryptographic Length',
  'Cryptographic Usage Mask',
  'Digest',
  'Initial Date',
  'Last Change Date',
  'Name',
  'State',
];
/** What came later than the first version has an older word in the versions before. */
const reasonBy = (since: string, name: string, before: string) => (value: unknown, version: string) => assert.equal(value, version >= since ? name : before);

const STEPS: readonly Step[] = [
  ['DiscoverVersions', ['2.1', '2.0', '1.4', '1.3', '1.2', '1.1', '1.0'], '1.1'],
  ['DiscoverVersions of one', 1, '1.1'],
  [
    'Query',
    (value: unknown) => {
      const { operations, vendor } = value as { operations: string[]; vendor: string };
      includes('CREATE', 'REGISTER', 'LOCATE', 'REKEY', 'DESTROY', 'QUERY')(operations);
      assert.equal(vendor, 'gatehouse');
    },
  ],
  ['Create', isIdentifier],
  ['Get', isHex(32)],
  ['Locate by name', true],
  ['Locate by kind', true],
  ['GetAttributes', includes(...ATTRIBUTES), '1.0', '1.1'],
  [
    'GetAttributes by name',
    (value: unknown, version: string) => {
      const { 'Unique Identifier': id, ...others } = value as Record<string, string>;
      isIdentifier(id);
      assert.deepEqual(others, {
        'Cryptographic Algorithm': 'CryptographicAlgorithm.AES',
        'Cryptographic Length': '256',
        'Cryptographic Usage Mask': '572',
        Name: `KMIP ${version} key`,
        'Object Type': 'ObjectType.SYMMETRIC_KEY',
        State: 'State.PRE_ACTIVE',
      });
    },
  ],
  ['GetAttributeList', includes(...ATTRIBUTES)],
  [
    'Encrypt before activation',
    (value: unknown, version: string) =>
      assert.equal(value, version < '1.2' ? 'OPERATION_NOT_SUPPORTED' : version < '2.0' ? 'PERMISSION_DENIED' : 'WRONG_KEY_LIFECYCLE_STATE'),
  ],
  ['Activate', true],
  ['Check', true],
  ['Encrypt CBC', isHex(48), '1.2'],
  ['Encrypt ECB', isHex(48), '1.2'],
  ['Encrypt CTR', isHex(MESSAGE.length), '1.2'],
  ['Encrypt with a nonce of the server', 16, '1.2'],
  ['Create HMAC', isIdentifier, '1.2'],
  ['MAC', 32, '1.2'],
  ['Register wrapped', true, '1.1'],
  ['DeriveKey', 16, '1.2'],
  ['ReKey', isIdentifier],
  ['ReKey moves the name', true],
  ['SetAttribute', true, '2.0'],
  ['ModifyAttribute', true],
  ['DeleteAttribute', true],
  ['Locate what was deleted', []],
  ['Create with attributes of every form', true],
  ['Locate by group', 1],
  ['Locate by application', 1],
  ['CreateKeyPair', (value: unknown) => (value as unknown[]).forEach(isIdentifier)],
  ['Get public and private', ['PKCS_1', 'PKCS_1']],
  ['Sign PKCS1v15', ['VALID', 'INVALID'], '1.2'],
  ['Sign PSS', ['VALID', 'INVALID'], '1.2'],
  ['Encrypt OAEP', true, '1.2'],
  ['ReKeyKeyPair', true, '1.1'],
  ...['SymmetricKey', 'PrivateKey', 'X509Certificate', 'SecretData', 'OpaqueObject'].map((name): Step => [`Register ${name}`, true]),
  ['Register SplitKey', 1],
  ['Destroy what is active', reasonBy('2.0', 'WRONG_KEY_LIFECYCLE_STATE', 'PERMISSION_DENIED')],
  ['Revoke', true],
  ['Destroy', true],
  ['Get what is destroyed', reasonBy('2.0', 'OBJECT_DESTROYED', 'ITEM_NOT_FOUND')],
  ['Get what never was', reasonBy('2.0', 'OBJECT_NOT_FOUND', 'ITEM_NOT_FOUND')],
  ['Revoke as compromised', true],
  ['Destroy all', true],
];

/** The steps that a version has. */
export function stepsOf(version: string): readonly Step[] {
  return STEPS.filter(([, , since = '1.0', until = '2.0']) => version >= since && version <= until);
}

/** @throws AssertionError where a step was not done, failed, or brought something else */
export function judge(lines: readonly Line[], version: string, [step, expected]: Step): void {
  const line = lines.find((each) => each.version === version && each.step === step);
  assert.ok(line && 'ok' in line, `${step}: ${line?.error ?? 'it was not done'}`);
  if (typeof expected === 'function') (expected as (value: unknown, version: string) => void)(line.ok, version);
  else assert.deepEqual(line.ok, expected, step);
}
