// Freed memory goes back to the system when the server is idle: of this process for real, and with a made-up one at which moments.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { giveBack } from '../../../kernel/give-back.ts';
import { type ProcessMemory, trimWhenIdle } from '../../../kernel/runtime/measure/trim.ts';
import { movedClock } from './two-ends.ts';

const LOOK_MS = 5_000;

class MadeUpMemory implements ProcessMemory {
  trims = 0;
  #used: number;
  #freed = 0;
  readonly #isPossible: boolean;

  constructor(used: number, isPossible = true) {
    this.#used = used;
    this.#isPossible = isPossible;
  }

  resident(): number {
    return this.#used + this.#freed;
  }

  trim(): boolean {
    this.trims += 1;
    if (this.#isPossible) this.#freed = 0;
    return this.#isPossible;
  }

  use(used: number, freed: number): void {
    this.#used = used;
    this.#freed = freed;
  }
}

function watched(memory: MadeUpMemory) {
  const { clock, advance } = movedClock();
  const told: unknown[] = [];
  const server = { busy: 0 };
  const end = trimWhenIdle({ clock, log: { debug: (details) => told.push(details) }, busy: () => server.busy, memory });
  return { server, told, end, look: () => advance(LOOK_MS) };
}

test('memory is returned after the start, and again when there is much more of it', async () => {
  const memory = new MadeUpMemory(200e6);
  const { look, told, end } = watched(memory);
  await look();
  assert.equal(memory.trims, 1);
  memory.use(210e6, 30e6);
  await look();
  assert.equal(memory.trims, 1, 'not for every piece');
  memory.use(210e6, 70e6);
  await look();
  assert.equal(memory.trims, 2);
  assert.deepEqual(told.at(-1), { before: 280e6, after: 210e6 });
  end();
});

test('memory in use that grows is asked for once, and less of it makes a new beginning', async () => {
  const memory = new MadeUpMemory(200e6);
  const { look, end } = watched(memory);
  await look();
  memory.use(500e6, 0);
  await look();
  await look();
  assert.equal(memory.trims, 2);
  memory.use(200e6, 0);
  await look();
  memory.use(200e6, 60e6);
  await look();
  assert.equal(memory.trims, 3);
  end();
});

test('nothing is returned while the server is busy, and it is when the server rests', async () => {
  const memory = new MadeUpMemory(300e6);
  const { look, server, end } = watched(memory);
  server.busy = 0.5;
  await look();
  assert.equal(memory.trims, 0);
  server.busy = 0.1;
  await look();
  assert.equal(memory.trims, 1);
  end();
});

test('it is tried once where the C library cannot do it', async () => {
  const memory = new MadeUpMemory(300e6, false);
  const { look, told } = watched(memory);
  for (let times = 0; times < 3; times++) await look();
  assert.equal(memory.trims, 1);
  assert.deepEqual(told, []);
});

/** Of 16 kB each: pieces of 1 MiB and more come from the system one by one, and return to it so. @returns those that stay */
function useAndFree(): Uint8Array[] {
  const all = Array.from({ length: 12_000 }, () => new Uint8Array(16_384).fill(1));
  const kept = all.filter((_, at) => at % 100 === 0);
  for (const [at, bytes] of all.entries()) if (at % 100 !== 0) giveBack(bytes);
  return kept;
}

const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header;

(glibcVersionRuntime === undefined ? test.skip : test)('memory of this process that lies between memory in use is returned', async () => {
  const kept = useAndFree();
  const { clock, advance } = movedClock();
  const told: { before: number; after: number }[] = [];
  const log = { debug: (details: { before: number; after: number }) => told.push(details) };
  const end = trimWhenIdle({ clock, log: log as never, busy: () => 0 });
  await advance(LOOK_MS);
  end();
  const [{ before, after } = { before: 0, after: 0 }] = told;
  assert.ok(before - after > 100e6, `${before} bytes before, ${after} after`);
  assert.ok(kept.every((bytes) => bytes.length === 16_384 && bytes.every((byte) => byte === 1)));
});

test.run();
