// The threads of an HSM instance: what takes long on one slot holds up no use of keys on another, and `threads` lets uses run at the same time.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import type { Answer } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { endFaulty, type Faulty, opens, pair, reuses, startFaulty } from './faulty-server.ts';
import { done, identifier, kmip, makeSecret, refused } from './hsm-server.ts';

/** Uses of a key that run while a call is held. */
const USES = 11;
const HELD_MS = 30_000;

/** Holds a call in the token until the work has ended, however long that takes. @returns its answer */
async function whileHeld({ library }: Faulty, what: 'make' | 'search', call: () => Promise<Answer>, work: () => Promise<unknown>): Promise<Answer> {
  library.tell(`hold ${what}`);
  const held = call();
  await until(() => library.held() > 0, 'the call is held', HELD_MS);
  await work();
  assert.ok(library.held() > 0, 'it is held until the work has ended');
  library.tell(undefined);
  return held;
}

async function used({ encrypt }: Faulty, id: string): Promise<void> {
  for (let use = 0; use < USES; use++) await done(encrypt(id));
}

function long(): void {
  for (const isolation of ['thread', 'process'])
    test(`${isolation}: keys are made and searched for on one slot while keys of both are used`, async () => {
      const faulty = await startFaulty(`isolation = "${isolation}"\ndeadline_seconds = 60`);
      const [first, second] = faulty.ids('key');
      const both = async () => {
        for (const id of [first, second]) await used(faulty, id);
      };
      for (const id of faulty.ids('pair')) await done(whileHeld(faulty, 'make', () => pair(faulty, id), both));
      await done(
        whileHeld(
          faulty,
          'search',
          () => kmip(faulty.admin, 'Locate'),
          () => done(faulty.encrypt(second)),
        ),
      );
    });

  for (const threads of [1, 2])
    test(`threads = ${threads}: a key that was not used before does not wait for a pair that its slot makes`, async () => {
      const faulty = await startFaulty(`threads = ${threads}\ndeadline_seconds = 60`, undefined, {});
      const names = ['fresh', 'fresh too', 'known'].map((name) => faulty.ids(name)[0]);
      for (const id of names) await done(makeSecret(faulty.admin, id));
      const all = async () => {
        for (const id of names) await done(faulty.encrypt(id));
      };
      await done(whileHeld(faulty, 'make', () => pair(faulty, faulty.ids('pair')[0]), all));
    });

  test('keys of one slot are made one after the other, and none that nobody waits for any more', async () => {
    const faulty = await startFaulty('deadline_seconds = 8');
    const asked = ['a', 'b', 'c', 'd'];
    await Promise.all(asked.map((name) => done(pair(faulty, faulty.ids(`${name} in time`)[0]))));
    faulty.library.tell('hold make');
    const made = await Promise.all(asked.map((name) => pair(faulty, faulty.ids(name)[0])));
    // Which of them arrives first is not known. One that arrives after the deadline of the first is refused at once.
    for (const { status, text } of made) assert.ok(status === 504 || /has not answered a call for more than 8 s/.test(text), text);
    assert.equal(faulty.library.held(), 1);
    faulty.library.tell(undefined);
    await until(async () => (await pair(faulty, faulty.ids('e')[0])).status === 200, 'the slot makes keys again', 20_000);
    const names = faulty.hsm.tool(faulty.slots[0] as number, 'labels(3)') as string[];
    assert.equal(asked.filter((name) => names.includes(name)).length, 1, names.join());
  });
}

function uses(): void {
  for (const isolation of ['thread', 'process'])
    test(`${isolation}: with threads = 3 three uses are in the token at the same time`, async () => {
      const faulty = await startFaulty(`isolation = "${isolation}"\nthreads = 3\ndeadline_seconds = 60`);
      faulty.library.tell('gather 3');
      await Promise.all(Array.from({ length: 3 }, () => done(faulty.encrypt(faulty.ids('key')[0]))));
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
    const faulty = await startFaulty('deadline_seconds = 60', undefined, { oneAtATime: true });
    const [one, other] = faulty.ids('key');
    let hasWaited = false;
    const waiting: Promise<unknown>[] = [];
    const work = async () => {
      waiting.push(
        faulty.encrypt(one).then((answer) => {
          hasWaited = true;
          assert.equal(answer.status, 200, answer.text);
        }),
      );
      await used(faulty, other);
      assert.ok(!hasWaited, 'a use on the slot of the call waits');
    };
    await done(whileHeld(faulty, 'make', () => pair(faulty, faulty.ids('pair')[0]), work));
    await Promise.all(waiting);
  });
}

if (!skipWithout('softhsm2') && canBuild()) {
  long();
  uses();
  limits();
  test.after.each(endFaulty);
  test.run();
}
