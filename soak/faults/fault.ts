// What befalls a run: each fault happens for a while, is over, and shows that it has happened.
import { setTimeout as after } from 'node:timers/promises';
import type { World } from '../world.ts';

export interface Fault {
  readonly name: string;
  /** A process of the server starts anew: what it then takes of memory and threads cannot be compared with before. */
  readonly startsAnew: boolean;
  /** @returns why it cannot happen in this world; undefined: it can */
  impossible(world: World): string | undefined;
  /**
   * Lets it happen and ends it.
   * @param ms how long it lasts, where it lasts
   * @returns what shows that it has happened
   * @throws Error if nothing shows it
   */
  happen(world: World, ms: number): Promise<string>;
}

/** The control of a fault: without this it may not have happened. @throws Error */
export function show(isShown: boolean, what: string): string {
  if (!isShown) throw new Error(`nothing shows it: ${what}`);
  return what;
}

/** Asks again until it is so. @returns whether it was, in time */
export async function comes(condition: () => Promise<boolean>, ms: number): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; await after(100)) if (await condition().catch(() => false)) return true;
  return false;
}

export const always = (): undefined => undefined;
export const onlyOn = (store: World['store']) => (world: World) => (world.store === store ? undefined : `only with --store ${store}`);
