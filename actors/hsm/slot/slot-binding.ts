// Rows that bind configured slots to tokens.
import type { Store } from '../../../kernel/store/store.ts';
import type { HsmArgs } from '../args.ts';
import { claimsOn, type SlotClaim } from './slot-claims.ts';

export interface SlotBinding {
  /** Serial number of the token that the slot is bound to; undefined before the first login. */
  serial: string | undefined;
  /** In place of the token before, if there was one. */
  bind(serial: string): Promise<void>;
  /** Reads which other slots may lead to the same token; left out: none. */
  claims?(): Promise<readonly SlotClaim[]>;
}

/** The binding of a configured slot number to a token. The first login binds it to the token's serial number, until an operator accepts another token. */
export async function openBinding(store: Store, node: string, args: HsmArgs, slot: number): Promise<SlotBinding> {
  const { prefix } = args;
  const known = await store.get<{ serial: string }>('SELECT serial FROM hsm_slot WHERE node = $1 AND prefix = $2 AND slot = $3', [node, prefix, slot]);
  const binding: SlotBinding = {
    serial: known?.serial,
    claims: claimsOn(args, slot, node, store),
    async bind(serial) {
      const { serial: before } = binding;
      await store.transaction(async (tx) => {
        await tx.run(
          'INSERT INTO hsm_slot (node, prefix, slot, serial) VALUES ($1, $2, $3, $4) ON CONFLICT (node, prefix, slot) DO UPDATE SET serial = excluded.serial',
          [node, prefix, slot, serial],
        );
        if (before !== undefined)
          await tx.audit({ event: 'hsm.token', outcome: 'success', target: `${prefix}::${slot}`, reason: `the token ${serial} in place of ${before}` });
      });
      binding.serial = serial;
    },
  };
  return binding;
}
