// Which threads start with the server, which rest until a call needs them, what starts those, and that nothing starts them any more when the server stops.
import type { AnySpec } from '../../actor.ts';
import type { Timer } from '../../clock.ts';
import type { DataKeyPurpose } from '../../keys/data-key-row.ts';
import type { Group } from '../runtime.ts';
import type { RuntimeOptions } from '../runtime-options.ts';
import type { Supervisor } from '../supervise/supervisor.ts';

/** After the start, when the first requests that waited for it are served. */
const SOON_MS = 1_000;
/** Key of the first replica. */
const FIRST = '0';

/** Whether all threads of an actor start when they are needed. */
export const rests = ({ start }: AnySpec): boolean => start === 'soon' || start === 'use';

/** Whether one thread of an actor starts when it is needed. */
export const restsAt = (spec: AnySpec, key: string): boolean => rests(spec) || (spec.kind === 'replicated' && spec.spare === true && key !== FIRST);

/** @returns those that the start of the server starts */
const firstOf = (spec: AnySpec, supervisors: readonly Supervisor[]): readonly Supervisor[] => supervisors.filter(({ key }) => !restsAt(spec, key));

/** Starts the actors at the same time, each after the peers that stand before it. Does not wait for background actors. Rejects with the first failed start. */
export async function startTogether(groups: readonly Group[]): Promise<void> {
  const starts = new Map<string, Promise<unknown>>();
  for (const { name, supervisors, spec } of groups) {
    const peers = (spec.peers ?? []).map((peer) => starts.get(peer));
    const starting = Promise.all(peers).then(() => Promise.all(firstOf(spec, supervisors).map((supervisor) => supervisor.start())));
    if (spec.start === 'background') starting.catch(() => {});
    else starts.set(name, starting);
  }
  await Promise.all(starts.values());
}

/** Lets the calls start the threads. A start that fails is supervised like a crash, and logged there. */
export function startWhenNeeded(supervisors: readonly Supervisor[]): void {
  for (const supervisor of supervisors) supervisor.dispatcher.onNeeded = () => void supervisor.start().catch(() => {});
}

/** @param starting is about to run @returns the purposes of the data keys of an actor whose first threads all run */
export function startedKeys({ spec, supervisors }: Group, starting?: Supervisor): readonly DataKeyPurpose[] {
  const first = rests(spec) ? supervisors : firstOf(spec, supervisors);
  const isStarted = spec.start !== 'background' && first.every((each) => each === starting || each.state === 'running');
  return isStarted ? (spec.dataKeys ?? []) : [];
}

/**
 * Starts the first thread of each actor that is to start soon, and of those that have rows to authenticate. @returns a function after which no
 * thread starts because it is needed
 */
export function startSoon(groups: ReadonlyMap<string, Group>, { clock, adopts }: Pick<RuntimeOptions, 'clock' | 'adopts'>): () => void {
  const isSoon = ({ start, dataKeys = [] }: AnySpec) => start === 'soon' || (start === 'use' && dataKeys.some((purpose) => adopts?.(purpose)));
  const timer: Timer = clock.setTimeout(() => {
    for (const { spec, supervisors } of groups.values()) if (isSoon(spec)) supervisors[0]?.dispatcher.wake();
  }, SOON_MS);
  return () => {
    clock.clearTimeout(timer);
    for (const { supervisors } of groups.values()) for (const { dispatcher } of supervisors) dispatcher.onNeeded = () => {};
  };
}
