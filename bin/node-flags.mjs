// The flags that Node gets wherever gatehouse is started: by the launcher, in packages, in a bench and in a soak. Plain JavaScript for any Node from version 18.

/** Megabytes of the young generation of the main thread, which may serve requests: kernel/runtime/young-space.ts says why. */
const YOUNG_SPACE = '--min-semi-space-size=8';
/** Without it SIGUSR1, with which other servers open their logs again, opens a debugger on port 9229, and any user of the machine may run code in the server. */
const NO_DEBUGGER = '--disable-sigusr1';
/** In every thread, as they have the flags of their process. */
const QUICK_IMPORTS = new URL('../kernel/quick-imports.mjs', import.meta.url).href;

/**
 * @param {{ isServer: boolean, quickImports?: string }} what path or address of kernel/quick-imports.mjs, if it lies elsewhere than below this program
 * @returns {string[]}
 */
export function nodeFlags({ isServer, quickImports = QUICK_IMPORTS }) {
  return [...(isServer ? [YOUNG_SPACE, NO_DEBUGGER] : []), '--disable-warning=ExperimentalWarning', '--import', quickImports];
}
