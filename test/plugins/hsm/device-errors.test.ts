// What clients are told when the token fails: that the token did it, never that their data are wrong.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import type { Answer } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { endFaulty, type Faulty, startFaulty } from './faulty-server.ts';
import { refused } from './hsm-server.ts';

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
  test.run();
}
