// Walks a state machine completely: every state, and every event in it.
import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, getInitialSnapshot, getNextSnapshot } from 'xstate';

export interface Step {
  readonly from: string;
  readonly event: string;
  readonly to: string;
}

/** @param events one of each kind that leads somewhere of its own, with a name @returns each distinct step that was taken, and the states seen */
export function walk(machine: AnyStateMachine, events: Readonly<Record<string, EventObject>>, input?: unknown): { steps: Step[]; states: string[] } {
  const steps: Step[] = [];
  const seen = new Set<string>();
  const open: AnyMachineSnapshot[] = [getInitialSnapshot(machine, input as never) as AnyMachineSnapshot];
  for (let state = open.shift(); state; state = open.shift()) {
    const from = String(state.value);
    if (seen.has(from)) continue;
    seen.add(from);
    for (const [event, value] of Object.entries(events)) {
      const next = getNextSnapshot(machine, state, value) as AnyMachineSnapshot;
      steps.push({ from, event, to: String(next.value) });
      open.push(next);
    }
  }
  return { steps, states: [...seen].sort() };
}
