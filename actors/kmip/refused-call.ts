// The border of an actor's calls: a refusal that leaves one becomes the fault that callers on other threads know.
import { Fault } from '../../kernel/fault.ts';
import { refusalOf } from '../../kmip/crypto-refusal.ts';

/** @returns KEYS_REFUSED with the reason and the text of a refusal; every other error as it is */
export function faultOf(error: unknown): unknown {
  const refusal = refusalOf(error);
  return refusal ? new Fault('KEYS_REFUSED', { detail: refusal.detail, cause: refusal }) : error;
}

/** The same calls, which throw faults in place of refusals. */
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
