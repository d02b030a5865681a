// When a missing token makes an instance restart its library, which ends the sessions of the slots that work.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'uvu';
import { Prober } from '../../../actors/hsm/slot/prober.ts';
import type { SlotWatch } from '../../../actors/hsm/slot/slot-watch.ts';
import type { Cryptoki } from '../../../actors/hsm/token/cryptoki.ts';
import { namesOf } from '../../../actors/hsm/token/key-name.ts';
import type { ActorContext } from '../../../kernel/actor.ts';

const PROBE_SECONDS = 10;

/** An instance whose slots have these problems, with a clock that stands still until it is told. */
function instanceWith(problems: readonly (string | undefined)[]) {
  const counted = { restarts: 0, seconds: 0 };
  const ctx = { clock: { monotonic: () => counted.seconds * 1000 }, log: { info() {}, warn() {}, error() {} }, report() {} };
  const cryptoki = { isAlone: true, open: async () => ({}), restart: () => ++counted.restarts > 0 };
  const watches = problems.map((problem, number) => ({
    ...{ number, problem, refused: false, isTaken: false, isRenewed: false, hasEnded: false },
    ...{ probe: async () => problem === undefined, readClaims: async () => {}, reset() {} },
  }));
  const probed = { prefix: 'hsm::soft_hsm', probeSeconds: PROBE_SECONDS };
  const prober = new Prober(
    ctx as unknown as ActorContext,
    probed,
    cryptoki as unknown as Cryptoki,
    watches as unknown as readonly SlotWatch[],
    async () => {},
  );
  return { prober, counted };
}

test('who asks for a slot without its token each second does not have the others end their sessions', async () => {
  const { prober, counted } = instanceWith([undefined, 'CKR_TOKEN_NOT_PRESENT']);
  const at: number[] = [];
  for (counted.seconds = 0; counted.seconds <= 6 * PROBE_SECONDS; counted.seconds++) {
    const before = counted.restarts;
    await prober.status();
    if (counted.restarts > before) at.push(counted.seconds);
  }
  deepEqual(at, [2 * PROBE_SECONDS, 5 * PROBE_SECONDS]);
});

test('while no slot works, the library is started again at each probe', async () => {
  const { prober, counted } = instanceWith(['CKR_TOKEN_NOT_PRESENT', 'CKR_TOKEN_NOT_PRESENT']);
  for (; counted.seconds < 3; counted.seconds++) await prober.status();
  equal(counted.restarts, 3);
});

test('keys whose CKA_ID are bytes and no text are not taken for each other', () => {
  deepEqual(namesOf(Buffer.of(0xa1), Buffer.from('kek')), ['kek', '0xa1']);
  deepEqual(namesOf(Buffer.of(0xa2), Buffer.from('app')), ['app', '0xa2']);
  deepEqual(namesOf(Buffer.from('clé'), Buffer.from('clé')), ['clé', '0x636cc3a9']);
});

test.run();
