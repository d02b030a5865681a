// The young generation of threads that serve requests. V8 begins with 1 MB and lets it grow if much survives. Of requests nothing survives, so it would be collected for every 30 of them.
import { setFlagsFromString } from 'node:v8';

/**
 * Megabytes. The launcher gives the main thread the same, which serves requests itself if there is one front. With 16 at most, as V8 has it, an Encrypt costs
 * the same CPU within 5 %, but a server that has been busy with two fronts keeps 548 MB instead of 434; with 4 it costs a third more with 64 connections.
 */
const BUSY_MB = 8;
/** V8's own choice: idle threads touch all of their young generation sooner or later. */
const USUAL_MB = 0;

let starting = 0;

/** From now on new threads begin with a small young generation, whatever the process was started with. */
export function startUsualThreads(): void {
  setFlagsFromString(`--min-semi-space-size=${USUAL_MB}`);
}

/** @param start starts a thread that serves requests. V8 reads the size when the thread makes its heap; another thread that does so meanwhile gets more than it needs. */
export async function startBusyThread<T>(start: () => Promise<T>): Promise<T> {
  starting += 1;
  setFlagsFromString(`--min-semi-space-size=${BUSY_MB}`);
  try {
    return await start();
  } finally {
    starting -= 1;
    if (starting === 0) startUsualThreads();
  }
}
