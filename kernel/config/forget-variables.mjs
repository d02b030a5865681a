// Deletes environment variables of this process and overwrites their bytes in its initial environment block. Plain JavaScript, because the launcher uses it too.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Index, counted after the name of the program, of the field of /proc/self/stat with the start address of the environment (proc_pid_stat(5), field 50). */
const ENVIRONMENT_BEGIN = 47;

/**
 * Without Linux's /proc the block is not overwritten, and anybody who may read the memory of this process can read the variables there.
 * @param {Iterable<string>} names
 * @returns {void}
 */
export function forgetVariables(names) {
  const forgotten = new Set(names);
  // Delete first, so that the process no longer points to the bytes that are overwritten next.
  for (const name of forgotten) delete process.env[name];
  try {
    overwrite(forgotten);
  } catch {
    // There is no /proc, or access is denied.
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
