// Calls of an HSM that do not return, or take the process with them: one slot is out of use, or the process starts again.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { skipWithout } from '../../system.ts';
import { during, endFaulty, isAccessible, opens, pair, startFaulty } from './faulty-server.ts';
import { done, refused } from './hsm-server.ts';

function stalls(): void {
  test('thread: a call does not return: its slot is refused until it does, the other works', async () => {
    const faulty = await startFaulty('isolation = "thread"\ndeadline_seconds = 1');
    const [stuck, other] = faulty.ids('key');
    faulty.library.tell('make 6000');
    const { answer, uses } = await during(faulty, other, pair(faulty, faulty.ids('late')[0]));
    faulty.library.tell(undefined);
    assert.ok(answer.status === 504 && uses > 10, `${answer.text}, ${uses} uses`);
    await until(async () => (await faulty.encrypt(stuck)).status !== 200, 'it is refused', 3_000);
    await refused(faulty.encrypt(stuck), /is not accessible: the token has not answered a call for more than 1 s$/);
    await done(faulty.encrypt(other));
    assert.deepEqual(await isAccessible(faulty), [false, true]);
    await until(async () => (await faulty.encrypt(stuck)).status === 200, 'it works again', 15_000);
    await done(pair(faulty, faulty.ids('next')[0]));
    assert.deepEqual(await isAccessible(faulty), [true, true]);
  });

  test('process: a call does not return: the process is ended and started again', async () => {
    const faulty = await startFaulty('isolation = "process"\ndeadline_seconds = 3');
    const [stuck, other] = faulty.ids('key');
    const sealed = await done(faulty.encrypt(stuck));
    faulty.library.tell('make 60000');
    assert.equal((await pair(faulty, faulty.ids('late')[0])).status, 504);
    faulty.library.tell(undefined);
    await until(() => faulty.lines.some(({ msg }) => msg === 'a call of an HSM does not return'), 'the log tells it', 10_000);
    await until(() => faulty.lines.some(({ msg }) => msg === 'actor lost'), 'the process has ended', 10_000);
    await until(async () => (await faulty.encrypt(other)).status === 200, 'it works again', 20_000);
    await opens(faulty, stuck, sealed);
    await done(pair(faulty, faulty.ids('late')[0]));
  });

  test('process: it crashes while a key is made: others of the instance work again, and the key can be made', async () => {
    const faulty = await startFaulty('isolation = "process"');
    faulty.library.tell('make 1000');
    const making = pair(faulty, faulty.ids('late')[0]);
    await done(faulty.encrypt(faulty.ids('key')[1]));
    faulty.library.tell('crash');
    assert.equal((await making).body.code, 'ACTOR_LOST');
    faulty.library.tell(undefined);
    await until(async () => (await faulty.encrypt(faulty.ids('key')[0])).status === 200, 'it works again', 20_000);
    await done(pair(faulty, faulty.ids('late')[0]));
  });
}

if (!skipWithout('softhsm2') && canBuild()) {
  stalls();
  test.after.each(endFaulty);
  test.run();
}
