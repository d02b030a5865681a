// The fault codes of the kernel and of all plugins.
import { type FaultTable, KERNEL_FAULTS } from '../fault.ts';
import type { AnyPlugin } from '../plugin.ts';

/** All fault codes with what may be said of them. */
export function faultTables(plugins: readonly AnyPlugin[]): FaultTable {
  return Object.freeze(Object.assign({}, KERNEL_FAULTS, ...plugins.map(({ faults }) => faults ?? {})));
}
