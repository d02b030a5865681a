// Calls that an HSM does not answer, because its process crashes or hangs: each has a row in the audit log, as a refusal has.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { type Answer, signInAdmin } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { endFaulty, type Faulty, pair, startFaulty } from './faulty-server.ts';
import { done } from './hsm-server.ts';

type Row = Record<'event' | 'outcome' | 'reason' | 'target' | 'actor' | 'request_id', string>;

async function rows({ ask }: Faulty, cookie: string | undefined, event: string): Promise<Row[]> {
  return (await ask('GET', `/audit?event=${event}`, { cookie })).body.events;
}

function crashes(): void {
  test('a call on which the process of an HSM crashes has one row in the audit log', async () => {
    const faulty = await startFaulty('isolation = "process"');
    const [id] = faulty.ids('key');
    await done(pair(faulty, faulty.ids('pair')[0]));
    const cookie = await signInAdmin(faulty);
    const works = () => until(async () => (await faulty.encrypt(id)).status === 200, 'it works again', 20_000);
    const calls: readonly [string, () => Promise<Answer>][] = [
      ['key.Encrypt', () => faulty.encrypt(id)],
      ['key.CreateKeyPair', () => pair(faulty, faulty.ids('another')[0])],
      ['key.Encrypt', () => faulty.admin('POST', '/v1/crypto/encrypt', { body: { kid: id, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' } })],
      ['key.Sign', () => faulty.admin('POST', '/v1/crypto/sign', { body: { kid: faulty.ids('pair')[0], alg: 'ES256', data: 'aGVsbG8' } })],
    ];
    for (const [event, call] of calls) {
      const before = (await rows(faulty, cookie, event)).length;
      faulty.library.tell('crash');
      const { status, text, headers } = await call();
      faulty.library.tell(undefined);
      assert.equal(status, 503, text);
      const [row, ...others] = (await rows(faulty, cookie, event)).slice(before);
      assert.deepEqual([row?.outcome, row?.reason, others.length], ['failure', 'ACTOR_LOST', 0], `${event}: ${text} ${JSON.stringify([row, ...others])}`);
      assert.deepEqual([row?.actor, row?.request_id], ['hsm-admin@acme.com', headers['x-request-id']]);
      await works();
    }
  });
}

if (!skipWithout('softhsm2') && canBuild()) {
  crashes();
  test.after.each(endFaulty);
  test.run();
}
