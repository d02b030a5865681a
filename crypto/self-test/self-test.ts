// The self-test of one thread: computes every known answer in idle moments after the start, and switches off what gives a wrong one.
import { performance } from 'node:perf_hooks';
import { switchOff } from '../switched-off.ts';
import type { KnownAnswer } from './known-answer.ts';
import { isRight, readKnownAnswers } from './known-answers.ts';

/** How far the self-test of a thread has come. */
export interface SelfTestStatus {
  readonly right: number;
  readonly wrong: number;
  /** Answers that have not been computed yet. */
  readonly left: number;
  /** Algorithms that are switched off. */
  readonly off: readonly string[];
  /** Nothing is left, and what follows has run. */
  readonly isWarm: boolean;
}

interface Timers<Timer> {
  setTimeout(run: () => void, ms: number): Timer;
  clearTimeout(timer: Timer): void;
}

/** What the self-test needs of the context of an actor. A part beside the front has no signal, and ends it by the function that it gets. */
interface Surroundings<Timer> {
  readonly clock: Timers<Timer>;
  readonly log: { error(fields: Readonly<Record<string, string>>, message: string): void };
  readonly signal?: AbortSignal;
  /** Called at the end, and whenever an algorithm was switched off. */
  report(status: { readonly ready: true; readonly selfTest: SelfTestStatus }): void;
}

interface SelfTestOptions {
  /** Default true: false computes nothing. */
  readonly isOn?: boolean | undefined;
  /** Computed after those of the table: for tests of what happens if one is wrong. */
  readonly more?: readonly KnownAnswer[] | undefined;
  /** Runs when all is computed. @param idle settles in the next idle moment; rejects when the thread ends */
  readonly afterwards?: (idle: () => Promise<void>) => Promise<void>;
}

/** The server starts first: other threads still load their code, and cores are few. */
const FIRST_AFTER_MS = 2_000;
/** A thread that has slept for nearly all of this time is idle. One that serves a single client sleeps for half of it, while the client works: what ran then would come between its requests. */
const LOOK_MS = 2;
const BUSY_PART = 0.1;
/** A thread that is never idle computes one answer, which takes about a millisecond, in this time. */
const LONGEST_WAIT_MS = 200;

class Ended extends Error {}

/** @returns a function that ends it */
export function startSelfTest<Timer>(surroundings: Surroundings<Timer>, { isOn = true, more = [], afterwards }: SelfTestOptions): () => void {
  if (!isOn) return () => {};
  const moments = new IdleMoments(surroundings.clock);
  const run = async () => {
    await moments.after(FIRST_AFTER_MS);
    const status = await computeAll(surroundings, more, moments);
    await afterwards?.(() => moments.next());
    surroundings.report({ ready: true, selfTest: { ...status, isWarm: true } });
  };
  run().catch((error: unknown) => {
    // A thread that works must not end because its self-test cannot go on.
    if (!(error instanceof Ended)) surroundings.log.error({ error: String((error as Error).stack) }, 'the self-test or the warm-up broke off');
  });
  surroundings.signal?.addEventListener('abort', () => moments.end(), { once: true });
  return () => moments.end();
}

async function computeAll<Timer>({ log, report }: Surroundings<Timer>, more: readonly KnownAnswer[], moments: IdleMoments<Timer>): Promise<SelfTestStatus> {
  const answers = [...(await readKnownAnswers()), ...more];
  const off = new Set<string>();
  const count = { right: 0, wrong: 0 };
  const status = (): SelfTestStatus => ({ ...count, left: answers.length - count.right - count.wrong, off: [...off], isWarm: false });
  for (const answer of answers) {
    await moments.next();
    // What is switched off already refuses every further answer.
    const isOff = off.has(answer.algorithm);
    if (!isOff && (await isRight(answer))) {
      count.right += 1;
      continue;
    }
    count.wrong += 1;
    if (isOff) continue;
    switchOff(answer.algorithm);
    off.add(answer.algorithm);
    log.error({ algorithm: answer.algorithm, source: answer.source }, 'a self-test has failed: the algorithm is switched off in this thread');
    report({ ready: true, selfTest: status() });
  }
  report({ ready: true, selfTest: status() });
  return status();
}

/** Moments in which the thread has nothing else to do, told by how long its event loop has slept: requests pay nothing for it. */
class IdleMoments<Timer> {
  readonly #clock: Timers<Timer>;
  #timer: Timer | undefined;
  #end: (() => void) | undefined;
  #isEnded = false;

  constructor(clock: Timers<Timer>) {
    this.#clock = clock;
  }

  /** @throws Ended */
  async next(): Promise<void> {
    const startedAt = performance.now();
    do {
      const before = performance.eventLoopUtilization();
      await this.after(LOOK_MS);
      if (performance.eventLoopUtilization(before).utilization < BUSY_PART) return;
    } while (performance.now() - startedAt < LONGEST_WAIT_MS);
  }

  /** @throws Ended */
  after(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isEnded) return reject(new Ended());
      this.#end = () => reject(new Ended());
      this.#timer = this.#clock.setTimeout(resolve, ms);
    });
  }

  end(): void {
    this.#isEnded = true;
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#end?.();
  }
}
