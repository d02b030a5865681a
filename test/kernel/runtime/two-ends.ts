// What the parts of the runtime are tested with: two ends of one channel in this thread, a clock to move, and one turn of the event loop.
import { createClock, type LocalClock } from '../../../kernel/clock.ts';
import { type Channel, openChannel, type Wire } from '../../../kernel/runtime/channel/channel.ts';

/** Everything that was posted, in order; what arrives is a clone, as between threads. */
export interface TestWire extends Wire {
  readonly posted: (readonly unknown[])[];
  isClosed: boolean;
}

/** Two ends: what one posts reaches the other in a later microtask. */
function wires(): readonly [TestWire, TestWire] {
  const listeners: { onBatch(batch: readonly unknown[]): void; onClose(): void }[] = [];
  const wire = (own: number): TestWire => ({
    posted: [],
    isClosed: false,
    post(batch, transfer) {
      const clone = structuredClone(batch, { transfer: [...transfer] as ArrayBuffer[] });
      this.posted.push(clone);
      queueMicrotask(() => listeners[1 - own]?.onBatch(clone));
    },
    listen(onBatch, onClose) {
      listeners[own] = { onBatch, onClose };
    },
    close() {
      this.isClosed = true;
      listeners[1 - own]?.onClose();
    },
  });
  return [wire(0), wire(1)];
}

export function channels(): { readonly ours: Channel; readonly theirs: Channel; readonly wire: TestWire } {
  const [one, other] = wires();
  return { ours: openChannel(one), theirs: openChannel(other), wire: one };
}

/** Whatever was sent has arrived and has been answered. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

interface MovedClock {
  readonly clock: LocalClock;
  /** Sets the wall clock forward, or back by a negative time. */
  setWall(byMs: number): void;
  advance(ms: number): Promise<void>;
}

export function movedClock(): MovedClock {
  const base = createClock();
  let setMs = 0;
  const clock = { ...base, now: () => base.now() + setMs };
  return {
    clock,
    setWall(byMs) {
      setMs += byMs;
    },
    async advance(ms) {
      Atomics.add(clock.offset, 0, BigInt(ms));
      await clock.fireDue();
      await settle();
    },
  };
}
