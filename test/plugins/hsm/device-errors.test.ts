// What clients are told when the token fails: that the token did it, never that their data are wrong.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import type { Answer } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { endFaulty, type Faulty, pair, reuses, startFaulty } from './faulty-server.ts';
import { boolean, bytes, done, enumeration, identifier, integer, kmip, makeSecret, parameters, refused, structure } from './hsm-server.ts';

const OF_THE_DEVICE = [
  ['DEVICE_ERROR', 'General_Failure'],
  ['HOST_MEMORY', 'General_Failure'],
  ['TOKEN_NOT_RECOGNIZED', 'General_Failure'],
  ['DEVICE_REMOVED', 'General_Failure'],
  ...(['FUNCTION_CANCELED', 'OPERATION_ACTIVE', 'OPERATION_NOT_INITIALIZED', 'BUFFER_TOO_SMALL'] as const).map((name) => [name, 'General_Failure'] as const),
  ...(['FIPS_SELF_TEST_FAILED', 'RANDOM_NO_RNG', 'PIN_EXPIRED', 'MUTEX_BAD'] as const).map((name) => [name, 'General_Failure'] as const),
  ['DEVICE_MEMORY', 'Server_Limit_Exceeded'],
  ['TOKEN_RESOURCE_EXCEEDED', 'Server_Limit_Exceeded'],
  ['SESSION_COUNT', 'Server_Limit_Exceeded'],
] as const;

const tell = ({ library }: Faulty, name: keyof typeof CKR): void => library.tell(`error 0x${CKR[name].toString(16)}`);

function told({ status, body }: Answer, expected: readonly [status: number, error: string, description: RegExp]): void {
  assert.deepEqual([status, body.error], expected.slice(0, 2));
  assert.match(body.description, expected[2]);
}

if (!skipWithout('softhsm2') && canBuild()) {
  let faulty: Faulty;
  let sealed: object;
  const ask = (path: string, body: object) => faulty.admin('POST', `/v1/crypto/${path}`, { body });
  test.before(async () => {
    faulty = await startFaulty('');
    const [kid] = faulty.ids('key');
    const answer = await ask('encrypt', { kid, alg: 'dir', enc: 'A256GCM', data: 'AAAA' });
    assert.equal(answer.status, 200, answer.text);
    sealed = answer.body;
  });
  test.after(endFaulty);

  for (const [name, reason] of OF_THE_DEVICE)
    test(`CKR_${name} is told as a failure of the token: by KMIP, and as 503 by /v1/crypto`, async () => {
      const [kid] = faulty.ids('key');
      tell(faulty, name);
      await refused(faulty.encrypt(kid), new RegExp(`^${reason}: .*CKR_${name}`));
      const expected = [503, 'hsm_unavailable', new RegExp(`CKR_${name}`)] as const;
      told(await ask('encrypt', { kid, alg: 'dir', enc: 'A256GCM', data: 'AAAA' }), expected);
      told(await ask('decrypt', sealed), expected);
      faulty.library.tell(undefined);
    });

  test('a slot that is not accessible is 503 too', async () => {
    faulty.library.tell('gone');
    told(await ask('decrypt', sealed), [503, 'hsm_unavailable', /^slot \d+ of hsm::soft_hsm is not accessible: /]);
    faulty.library.tell(undefined);
  });

  test('a value that libraries also return for data that do not decrypt tells nothing about them', async () => {
    for (const name of ['GENERAL_ERROR', 'FUNCTION_FAILED', 'ENCRYPTED_DATA_INVALID'] as const) {
      tell(faulty, name);
      told(await ask('decrypt', sealed), [422, 'decryption_failed', /^Decryption failed$/]);
    }
    faulty.library.tell(undefined);
  });

  const gcm = parameters(enumeration('BlockCipherMode', 'GCM'));
  const cbc = parameters(enumeration('BlockCipherMode', 'CBC'));
  const data = bytes('Data', Buffer.alloc(40, 1));
  const op = (operation: string, id: string, ...members: Parameters<typeof parameters>) => kmip(faulty.admin, operation, identifier(id), ...members);
  const last = (members: Record<string, string>) => [bytes('CorrelationValue', members['CorrelationValue'] as string), boolean('FinalIndicator', true)];
  const [first, sha256] = [boolean('InitIndicator', true), parameters(enumeration('HashingAlgorithm', 'SHA_256'))];

  test('a ciphertext, signature, MAC or value of a length that cannot be is not passed on', async () => {
    const [key] = faulty.ids('key');
    const [ec, mac, open] = [faulty.ids('odd ec')[0], faulty.ids('odd mac')[0], faulty.ids('odd open')[0]];
    await done(pair(faulty, ec));
    const facts = [enumeration('CryptographicAlgorithm', 'HMAC_SHA256'), integer('CryptographicLength', 256), integer('CryptographicUsageMask', 0x180)];
    await done(kmip(faulty.admin, 'Create', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...facts, identifier(mac))));
    await done(makeSecret(faulty.admin, open, boolean('Sensitive', false), boolean('Extractable', true)));
    const sealed = await done(op('Encrypt', key, cbc, data));
    const opening = [cbc, bytes('Data', sealed['Data'] as string), bytes('IVCounterNonce', sealed['IVCounterNonce'] as string)];
    const wrapping = structure(
      'KeyWrappingSpecification',
      enumeration('WrappingMethod', 'Encrypt'),
      structure('EncryptionKeyInformation', identifier(key), parameters(enumeration('BlockCipherMode', 'NISTKeyWrap'))),
      enumeration('EncodingOption', 'NoEncoding'),
    );
    const { MACData: right = '' } = await done(op('MAC', mac, sha256, data));
    const cases: readonly (readonly [lengths: readonly number[], work: () => Promise<Answer>])[] = [
      [[-16, -1, 1, -999], () => op('Encrypt', key, gcm, data)],
      [[-16, 16], () => op('Encrypt', key, cbc, data)],
      [[-32, 8], () => op('Decrypt', key, ...opening)],
      [[-1, -2, 2, -999], () => op('Sign', ec, sha256, data)],
      [[-1, -999], () => op('MAC', mac, sha256, data)],
      [[-1, -999], () => op('MACVerify', mac, sha256, data, bytes('MACData', right))],
      [[-8, -999], () => op('Get', open, wrapping)],
      [[-1, -999], () => op('Get', open)],
      [[-16, -1], async () => op('Encrypt', key, ...last(await done(op('Encrypt', key, gcm, data, first))))],
    ];
    for (const [lengths, work] of cases) {
      for (const length of lengths) {
        faulty.library.tell(`length ${length}`);
        await refused(work(), /^General_Failure: the token or its library is broken: .* gave \d+ bytes, not \d+/);
      }
      faulty.library.tell(undefined);
      await done(work());
    }
    faulty.library.tell('length -1');
    const broken = [503, 'hsm_unavailable', /^the token or its library is broken: CKM_/] as const;
    told(await ask('encrypt', { kid: key, alg: 'dir', enc: 'A256GCM', data: 'AAAA' }), broken);
    told(await ask('sign', { kid: ec, alg: 'ES256', data: 'AAAA' }), broken);
    faulty.library.tell(undefined);
  });

  test('a pair whose public key makes no sense is not kept: its name is free', async () => {
    const [id] = faulty.ids('no point');
    faulty.library.tell('point');
    await refused(pair(faulty, id), /^General_Failure: the token made a pair, but does not tell its public key$/);
    faulty.library.tell(undefined);
    await done(pair(faulty, id));
  });
  test('a handle given to another key: the key is missed, and the other one is not destroyed', async () => {
    const [id] = faulty.ids('gone');
    await reuses(faulty, 'gone', () => faulty.encrypt(id));
    // What gives a key out looks each time.
    await refused(kmip(faulty.admin, 'Get', identifier(id)), /^Item_Not_Found: the token has no secret key gone$/);
    faulty.library.tell(undefined);
    const [later] = faulty.ids('gone later');
    await done(kmip(faulty.admin, 'Destroy', identifier(faulty.ids('heir')[0])));
    await reuses(faulty, 'gone later', () => faulty.encrypt(later));
    await faulty.runtime.advance(10_001);
    await refused(faulty.encrypt(later), /^Item_Not_Found: the token has no secret key gone later$/);
    await done(kmip(faulty.admin, 'Destroy', identifier(later)));
    await done(faulty.encrypt(faulty.ids('heir')[0]));
    faulty.library.tell(undefined);
  });

  test.run();
}
