// Converts refusals at the boundary of an actor into faults, which callers on other threads understand.
import { Fault } from '../../kernel/fault.ts';
import { refusalOf } from '../../kmip/crypto-refusal.ts';

/** @returns KEYS_REFUSED with the reason and the text of a refusal; every other error unchanged */
export function faultOf(error: unknown): unknown {
  const refusal = refusalOf(error);
  return refusal ? new Fault('KEYS_REFUSED', { detail: refusal.detail, cause: refusal }) : error;
}

/** Wraps the calls so that they throw faults instead of refusals. */
export function throwFaults<Api extends object>(api: Api): Api {
  return Object.fromEntries(
    Object.entries(api).map(([name, call]) => [
      name,
      async (...args: readonly unknown[]) => {
        try {
          return await call(...args);
        } catch (error) {
          throw faultOf(error);
        }
      },
    ]),
  ) as Api;
}
