// Merges the fault codes of the kernel and of all plugins.
import { type FaultTable, KERNEL_FAULTS } from '../fault.ts';
import type { AnyPlugin } from '../plugin.ts';

/** @returns all fault codes with their status and public text */
export function faultTables(plugins: readonly AnyPlugin[]): FaultTable {
  return Object.freeze(Object.assign({}, KERNEL_FAULTS, ...plugins.map(({ faults }) => faults ?? {})));
}
