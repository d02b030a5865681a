// Takes variables out of the environment of this process, and their bytes out of the block that the system keeps of it. Plain JavaScript: the launcher uses it too.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Fields of /proc/self/stat after the name of the program: where the initial environment begins (proc_pid_stat(5), field 50). */
const ENVIRONMENT_BEGIN = 47;

/**
 * Without Linux's /proc the block stays as it is: who may read the memory of this process can read it there.
 * @param {Iterable<string>} names
 * @returns {void}
 */
export function forgetVariables(names) {
  const forgotten = new Set(names);
  // First: nothing of the process points to the bytes any more that are overwritten then.
  for (const name of forgotten) delete process.env[name];
  try {
    overwrite(forgotten);
  } catch {
    // No /proc, or not allowed.
  }
}

/** @param {ReadonlySet<string>} names */
function overwrite(names) {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const begin = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[ENVIRONMENT_BEGIN]);
  const block = readFileSync('/proc/self/environ', 'latin1');
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    let at = 0;
    for (const entry of block.split('\0')) {
      if (names.has(entry.slice(0, Math.max(0, entry.indexOf('='))))) writeSync(memory, Buffer.alloc(entry.length), 0, entry.length, begin + at);
      at += entry.length + 1;
    }
  } finally {
    closeSync(memory);
  }
}
