// Whether memory, handles and threads of the nodes stay what they are: looked at all the time, and the later part held against the earlier.
import { readdirSync, readFileSync } from 'node:fs';
import type { Node } from './node.ts';

export interface Sample {
  readonly node: string;
  readonly pid: number;
  /** Milliseconds since the first look. */
  readonly at: number;
  readonly rssMb: number;
  readonly handles: number;
  readonly threads: number;
}

export interface Growth {
  readonly node: string;
  readonly what: 'rssMb' | 'handles' | 'threads';
  readonly early: number;
  readonly late: number;
  /** undefined: its process was not there for long enough to tell. */
  readonly isFlat: boolean | undefined;
}

const EVERY_MS = 1_000;
/** A process fills its heaps and opens its connections first; what it grows in this time is not held against it. */
const YOUNG_MS = 60_000;
/** The least time in which growth shows. */
const TELLING_MS = 20_000;
/** What may come on top: the heaps of threads grow in their first minutes, and connections come and go with the load. */
const ROOM = { rssMb: { part: 0.2, more: 60 }, handles: { part: 0.1, more: 24 }, threads: { part: 0, more: 4 } } as const;

export class Steadiness {
  readonly samples: Sample[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(nodes: readonly Node[]) {
    const begin = performance.now();
    const look = () => {
      for (const node of nodes) {
        const seen = node.isServing ? sample(node.pid) : undefined;
        if (seen) this.samples.push({ node: node.name, pid: node.pid, at: Math.round(performance.now() - begin), ...seen });
      }
    };
    this.#timer = setInterval(look, EVERY_MS);
  }

  /** @returns what each node held in the two halves of the later part of the run, by the medians of its last process */
  end(): readonly Growth[] {
    clearInterval(this.#timer);
    return growthOf(this.samples);
  }
}

export function growthOf(samples: readonly Sample[]): readonly Growth[] {
  const end = Math.max(0, ...samples.map(({ at }) => at));
  return [...new Set(samples.map(({ node }) => node))].flatMap((node) => {
    const own = samples.filter((each) => each.node === node);
    const pid = own.at(-1)?.pid;
    const born = own.find((each) => each.pid === pid)?.at ?? 0;
    const half = own.filter(({ at }) => at >= Math.max(end / 2, born + YOUNG_MS));
    const from = half[0]?.at ?? end;
    const middle = (from + end) / 2;
    return (['rssMb', 'handles', 'threads'] as const).map((what): Growth => {
      const early = median(half.filter(({ at }) => at < middle).map((each) => each[what]));
      const late = median(half.filter(({ at }) => at >= middle).map((each) => each[what]));
      return { node, what, early, late, isFlat: end - from < TELLING_MS ? undefined : late <= early * (1 + ROOM[what].part) + ROOM[what].more };
    });
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** By Linux; undefined where the process has just ended. */
function sample(pid: number): Pick<Sample, 'rssMb' | 'handles' | 'threads'> | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    return { rssMb: Math.round(number('VmRSS') / 1_024), threads: number('Threads'), handles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
}
