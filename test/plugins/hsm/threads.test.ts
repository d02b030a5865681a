// The threads of an HSM instance: what takes long on one slot holds up no use of keys on another, and `threads` lets uses run at the same time.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { skipWithout } from '../../system.ts';
import { during, endFaulty, opens, pair, reuses, startFaulty } from './faulty-server.ts';
import { done, identifier, kmip, makeSecret, refused } from './hsm-server.ts';

const MAKE_MS = 1_500;
/** Longer than uses take on a busy machine, with the start of a thread. */
const LONG_MS = 8_000;

function long(): void {
  for (const isolation of ['thread', 'process'])
    test(`${isolation}: keys are made and searched for on one slot while keys of both are used`, async () => {
      const faulty = await startFaulty(`isolation = "${isolation}"`);
      const [one, other] = faulty.ids('pair');
      faulty.library.tell(`make ${MAKE_MS}`);
      for (const id of faulty.ids('key')) {
        const { answer, uses, ms } = await during(faulty, id, pair(faulty, id === faulty.ids('key')[0] ? one : other));
        assert.equal(answer.status, 200, answer.text);
        assert.ok(ms >= MAKE_MS && uses > 10, `${uses} uses in ${ms} ms`);
      }
      faulty.library.tell('search 300');
      const { answer, uses, ms } = await during(faulty, faulty.ids('key')[1], kmip(faulty.admin, 'Locate'));
      assert.equal(answer.status, 200, answer.text);
      assert.ok(ms >= 600 && uses > 10, `${uses} uses in ${ms} ms`);
      faulty.library.tell(undefined);
    });

  for (const threads of [1, 2])
    test(`threads = ${threads}: a key that was not used before does not wait for a pair that its slot makes`, async () => {
      const faulty = await startFaulty(`threads = ${threads}`, undefined, {});
      const [one] = faulty.ids('pair');
      const names = ['fresh', 'fresh too', 'known'].map((name) => faulty.ids(name)[0]);
      for (const id of names) await done(makeSecret(faulty.admin, id));
      faulty.library.tell(`make ${LONG_MS}`);
      let isMade = false;
      const making = pair(faulty, one).then((answer) => {
        isMade = true;
        return answer;
      });
      for (const id of names) await done(faulty.encrypt(id));
      assert.ok(!isMade, 'all were used before the pair was made');
      assert.equal((await making).status, 200);
      faulty.library.tell(undefined);
    });

  test('keys of one slot are made one after the other, and none that nobody waits for any more', async () => {
    // Seconds are left for the first one and until the last has arrived, whatever else the machine does; two do not fit into the deadline.
    const faulty = await startFaulty('deadline_seconds = 15');
    faulty.library.tell('make 9500');
    const asked = ['a', 'b', 'c', 'd'];
    const made = await Promise.all(asked.map((name) => pair(faulty, faulty.ids(name)[0])));
    // Which of them arrives first is not known. The second is begun in time, and ends too late for who asked.
    const late = made.filter(({ status }) => status === 504);
    assert.ok(made.every(({ status }) => status === 200 || status === 504) && late.length >= 2 && late.length <= 3, made.map(({ text }) => text).join());
    faulty.library.tell(undefined);
    await until(async () => (await pair(faulty, faulty.ids('e')[0])).status === 200, 'the slot makes keys again', 20_000);
    const names = faulty.hsm.tool(faulty.slots[0] as number, 'labels(3)') as string[];
    assert.ok(asked.filter((name) => names.includes(name)).length <= 2, names.join());
  });
}

function uses(): void {
  for (const isolation of ['thread', 'process'])
    test(`${isolation}: with threads = 3 three uses of a slow token take the time of one`, async () => {
      const faulty = await startFaulty(`isolation = "${isolation}"\nthreads = 3`);
      const [id] = faulty.ids('key');
      faulty.library.tell('slow 1000');
      const together = async (): Promise<number> => {
        const start = performance.now();
        await Promise.all(Array.from({ length: 3 }, () => done(faulty.encrypt(id))));
        return performance.now() - start;
      };
      // Each thread starts with its first call, which takes a while on a busy machine. Two uses one after the other take 2 s.
      await until(async () => (await together()) < 2_000, 'three at once', 60_000);
      faulty.library.tell(undefined);
    });

  test('threads = 3: dropped sessions and a token that goes cost nobody a wrong answer; none is left', async () => {
    const faulty = await startFaulty('threads = 3');
    const [id] = faulty.ids('key');
    const sealed = await done(faulty.encrypt(id));
    const all = (count: number) => Promise.all(Array.from({ length: count }, () => faulty.encrypt(id)));
    for (let turn = 0; turn < 3; turn++) {
      const running = all(48);
      faulty.library.tell('drop');
      for (const { status, text } of await running) assert.ok(status === 200 || /is not accessible/.test(text), text);
      for (const { status, text } of await all(24)) assert.equal(status, 200, text);
      faulty.library.tell(undefined);
    }
    faulty.library.tell('gone');
    await until(async () => (await faulty.encrypt(id)).status !== 200, 'it is gone', 10_000);
    for (const { text } of await all(24)) assert.match(text, /is not accessible/);
    faulty.library.tell(undefined);
    await until(async () => (await faulty.encrypt(id)).status === 200, 'it is back', 20_000);
    await Promise.all(Array.from({ length: 24 }, () => opens(faulty, id, sealed)));
    // On this slot those of the login, of its instance's thread, of what takes long and of three threads; on the other at most as many.
    assert.ok(faulty.library.sessions() <= 12, `${faulty.library.sessions()} sessions`);
  });

  test('threads = 2: a key that is destroyed while others use it is never taken for the next one of its name', async () => {
    const faulty = await startFaulty('threads = 2');
    const [id] = faulty.ids('turning');
    for (let turn = 0; turn < 4; turn++) {
      await done(makeSecret(faulty.admin, id));
      const sealed = await done(faulty.encrypt(id));
      const running = Array.from({ length: 12 }, () => faulty.encrypt(id));
      await done(kmip(faulty.admin, 'Destroy', identifier(id)));
      for (const { status, text } of await Promise.all(running)) assert.ok(status === 200 || /Item_Not_Found|Wrong_Key_Lifecycle_State/.test(text), text);
      await done(makeSecret(faulty.admin, id));
      await assert.rejects(opens(faulty, id, sealed), /Cryptographic_Failure|assertion|Expected/i);
      await done(kmip(faulty.admin, 'Destroy', identifier(id)));
    }
    // By the hand of another tool too.
    await reuses(faulty, 'gone', () => faulty.encrypt(faulty.ids('gone')[0]));
    await faulty.runtime.advance(10_001);
    await refused(faulty.encrypt(faulty.ids('gone')[0]), /^Item_Not_Found: the token has no secret key gone$/);
    faulty.library.tell(undefined);
  });
}

function limits(): void {
  test('a library without locks is called by one thread only, and does all the same', async () => {
    const faulty = await startFaulty('threads = 4', 'one-thread');
    await done(pair(faulty, faulty.ids('pair')[0]));
    await Promise.all(Array.from({ length: 8 }, () => done(faulty.encrypt(faulty.ids('key')[0]))));
    // The sessions of the login and of the calls, for each slot.
    assert.equal(faulty.library.sessions(), 4);
  });

  test('a token that does one call at a time: uses wait on its slot, and not on another', async () => {
    const faulty = await startFaulty('', undefined, { oneAtATime: true });
    const [one, other] = faulty.ids('key');
    faulty.library.tell(`make ${MAKE_MS}`);
    let isMade = false;
    const making = done(pair(faulty, one.replace(/key$/, 'pair'))).then(() => {
      isMade = true;
    });
    // Uses overtake the making on its way to the slot; the one that comes behind it waits.
    const waits = [];
    while (!isMade) waits.push(await during(faulty, other, faulty.encrypt(one)));
    await making;
    for (const { answer } of waits) assert.equal(answer.status, 200, answer.text);
    assert.ok(
      waits.some(({ ms, uses }) => ms >= MAKE_MS * 0.8 && uses > 10),
      waits.map(({ ms, uses }) => `${uses} uses in ${ms} ms`).join(),
    );
    faulty.library.tell(undefined);
  });
}

if (!skipWithout('softhsm2') && canBuild()) {
  long();
  uses();
  limits();
  test.after.each(endFaulty);
  test.run();
}
