// The flags that Node gets wherever gatehouse is started: by the launcher, in packages, in a bench and in a soak. Plain JavaScript for any Node from version 18.
import { availableParallelism } from 'node:os';

/** Megabytes of the young generation of the main thread, which may serve requests: kernel/runtime/thread/young-space.ts says why. */
const YOUNG_SPACE = ['--min-semi-space-size=8', '--max-semi-space-size=8'];
/** Without it SIGUSR1, with which other servers open their logs again, opens a debugger on port 9229, and any user of the machine may run code in the server. */
const NO_DEBUGGER = '--disable-sigusr1';
/** In every thread, as they have the flags of their process. */
const QUICK_IMPORTS = new URL('../kernel/quick-imports.mjs', import.meta.url).href;
/** Node's number for every machine. */
const MOST_HELPERS = 4;

/**
 * Threads in which V8 collects garbage and compiles beside those that serve. With four of them on two cores each waits for the others: one Encrypt costs 137 us of
 * CPU instead of 150, a use of a key in an HSM 193 instead of 220, and the slowest hundredth of either is quicker.
 * @param {number} cores
 * @returns {number}
 */
export function helpersFor(cores) {
  return Math.min(MOST_HELPERS, Math.max(1, cores - 1));
}

/**
 * @param {{ isServer: boolean, quickImports?: string, helpers?: number | string | undefined }} what path or address of kernel/quick-imports.mjs, if it lies
 * elsewhere than below this program, and the number of V8's helpers, if it is not for this machine: Node chooses if it is 0
 * @returns {string[]}
 */
export function nodeFlags({ isServer, quickImports = QUICK_IMPORTS, helpers = helpersFor(availableParallelism()) }) {
  const ofHelpers = helpers === 0 ? [] : [`--v8-pool-size=${helpers}`];
  return [...(isServer ? [...YOUNG_SPACE, ...ofHelpers, NO_DEBUGGER] : []), '--disable-warning=ExperimentalWarning', '--import', quickImports];
}
