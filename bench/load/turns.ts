// Measures subjects in turns, so that a slow period of the machine affects all of them, and takes medians.
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMsOf } from '../cost/process-cost.ts';
import type { BenchOptions } from '../options.ts';
import { median, progress } from '../report/report.ts';
import { drive, GENERATOR } from './generator.ts';
import type { HttpRequest } from './http-request.ts';

/** A process that serves HTTPS. */
export interface Target {
  readonly address: string;
  readonly ca: string;
  readonly pid: number;
}

export interface Subject {
  readonly what: string;
  readonly target: Target;
  readonly request: HttpRequest;
  /** Default: those of the options. */
  readonly connections?: readonly number[];
}

export interface Measured {
  readonly perSecond: number;
  /** CPU time of the target's process for each request, in microseconds. */
  readonly cpuUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const LASTING = { connections: 16, seconds: 12 };

/** By name and number of connections. */
export type Figures = (what: string, connections: number) => Measured | undefined;

/** @param warmsUp whether a first round is measured that does not count */
export async function measureInTurns(subjects: readonly Subject[], options: BenchOptions, warmsUp = true): Promise<Figures> {
  if (warmsUp) await lastingLoad(subjects);
  if (warmsUp) progress(`load generator: ${GENERATOR}; ${options.rounds} rounds of ${options.seconds} s`);
  const all = new Map<string, Measured[]>();
  for (let turn = warmsUp ? 0 : 1; turn <= options.rounds; turn++) {
    for (const subject of subjects)
      for (const connections of connectionsOf(subject, options)) {
        const measured = await measure(subject, connections, options.seconds);
        const key = keyOf(subject.what, connections);
        if (turn > 0) all.set(key, [...(all.get(key) ?? []), measured]);
      }
    if (warmsUp) progress(`round ${turn} of ${options.rounds}`);
  }
  return (what, connections) => medians(all.get(keyOf(what, connections)) ?? []);
}

/** A server that stays busy starts further threads, which a turn is too short for: they are measured as of a server that has been busy. */
async function lastingLoad(subjects: readonly Subject[]): Promise<void> {
  const first = new Map(subjects.toReversed().map((subject) => [subject.target, subject]));
  for (const { target, request, connections = [LASTING.connections] } of first.values())
    await drive({ ...target, request, ...LASTING, connections: Math.max(...connections) });
}

/** What the subject can be measured with, of what is asked for. */
export function connectionsOf({ connections }: Pick<Subject, 'connections'>, options: BenchOptions): readonly number[] {
  return connections === undefined ? options.connections : options.connections.filter((each) => connections.includes(each));
}

const keyOf = (what: string, connections: number): string => `${what} ${connections}`;

async function measure({ target, request, what }: Subject, connections: number, seconds: number): Promise<Measured> {
  await settled(target);
  const before = cpuMsOf(target.pid);
  try {
    const { requests, ...driven } = await drive({ ...target, request, connections, seconds });
    return { ...driven, cpuUs: ((cpuMsOf(target.pid) - before) * 1_000) / requests };
  } catch (cause) {
    throw new Error(`${what} at ${connections} connections: ${(cause as Error).message}`, { cause });
  }
}

/** The pauses are short because a server that has rested is slower at first, and that would be measured too. */
const [LOOK_MS, QUIET_MS, LOOKS] = [25, 10, 120] as const;

/** What clients have asked for and left behind, such as key pairs, is no cost of the next turn: it waits until the server rests, for some seconds at most. */
async function settled({ pid }: Target): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    const before = cpuMsOf(pid);
    await wait(LOOK_MS);
    if (cpuMsOf(pid) - before <= QUIET_MS) return;
  }
}

function medians(runs: readonly Measured[]): Measured | undefined {
  if (runs.length === 0) return undefined;
  const of = (field: keyof Measured) => median(runs.map((run) => run[field]));
  return { perSecond: of('perSecond'), cpuUs: of('cpuUs'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}
