// Reads a CPU profile of V8: the tree of what was called, with its time, and the part of each layer.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** As the Chrome DevTools Protocol has it (Profiler.Profile): times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface Frame {
  readonly name: string;
  /** `kernel`, `kmip`, ...: the first folder; `node_modules`, `node` or `V8` for what is not ours. */
  readonly layer: string;
  /** Part of the busy time in it and in what it called: 0 to 1. */
  readonly part: number;
  /** The same without what it called. */
  readonly own: number;
  readonly children: readonly Frame[];
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOT_BUSY = new Set(['(idle)', '(root)']);
/** What the profiler itself costs, with all that it called. */
const PROFILER = /\/profile-route\.ts$/;

/** @returns the frames that the event loop called; their parts add up to 1 */
export function framesOf({ nodes, samples, timeDeltas }: CpuProfile): Frame[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const leftOut = new Set<number>();
  const leaveOut = (id: number): void => {
    leftOut.add(id);
    byId.get(id)?.children?.forEach(leaveOut);
  };
  for (const { id, callFrame } of nodes) if (PROFILER.test(callFrame.url)) leaveOut(id);
  const own = new Map<number, number>();
  let busy = 0;
  for (const [at, id] of samples.entries()) {
    if (leftOut.has(id) || NOT_BUSY.has(byId.get(id)?.callFrame.functionName ?? '')) continue;
    const us = timeDeltas[at] as number;
    own.set(id, (own.get(id) ?? 0) + us);
    busy += us;
  }
  const frameOf = (id: number): Frame => {
    const { callFrame, children = [] } = byId.get(id) as CpuProfile['nodes'][number];
    const below = merged(children.map(frameOf));
    const self = (own.get(id) ?? 0) / busy;
    return { ...named(callFrame), own: self, part: below.reduce((sum, { part }) => sum + part, self), children: below };
  };
  const root = nodes[0];
  return root === undefined || busy === 0 ? [] : merged((root.children ?? []).map(frameOf)).filter(({ part }) => part > 0);
}

function named({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): Pick<Frame, 'name' | 'layer'> {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return { name, layer: name.startsWith('(') ? 'V8' : 'node' };
  if (!url.startsWith('file:')) return { name: `${name} ${url}`, layer: 'node' };
  const path = relative(ROOT, fileURLToPath(url));
  return { name: `${name} ${path}:${lineNumber + 1}`, layer: path.split('/')[0] as string };
}

/** Functions that were compiled several times are several nodes of the profile. */
function merged(frames: readonly Frame[]): Frame[] {
  const byName = new Map<string, Frame>();
  for (const frame of frames) {
    const known = byName.get(frame.name);
    if (!known) byName.set(frame.name, frame);
    else
      byName.set(frame.name, { ...frame, own: known.own + frame.own, part: known.part + frame.part, children: merged([...known.children, ...frame.children]) });
  }
  return [...byName.values()].sort((a, b) => b.part - a.part);
}

/** @returns the part of each layer in the busy time, by name; the largest first */
export function layersOf(frames: readonly Frame[]): ReadonlyMap<string, number> {
  const parts = new Map<string, number>();
  const add = ({ layer, own, children }: Frame): void => {
    parts.set(layer, (parts.get(layer) ?? 0) + own);
    children.forEach(add);
  };
  frames.forEach(add);
  return new Map([...parts].sort(([, a], [, b]) => b - a));
}
