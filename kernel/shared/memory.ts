// The memory that all threads of a server share, as one of them has it.
import { Bell } from './bell.ts';
import { Regions, type RegionsMemory } from './region.ts';

export interface SharedMemory {
  readonly regions: Regions;
  readonly bell: Bell;
}

/** @param threads how many threads there can be, with the main thread */
export function newSharedMemory(threads: number): SharedMemory {
  return withBell(new Regions(threads));
}

export function openSharedMemory({ threads, memories }: RegionsMemory, thread: number): SharedMemory {
  return withBell(new Regions(threads, thread, memories));
}

function withBell(regions: Regions): SharedMemory {
  return { regions, bell: new Bell(regions) };
}
