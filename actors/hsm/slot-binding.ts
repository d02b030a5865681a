// Rows that bind configured slots to tokens.
import type { Store } from '../../kernel/store/store.ts';
import type { SlotBinding } from './slot-watch.ts';

/** The binding of a configured slot number to a token. The first login binds it to the token's serial number, permanently. */
export async function openBinding(store: Store, node: string, prefix: string, slot: number): Promise<SlotBinding> {
  const known = await store.get<{ serial: string }>('SELECT serial FROM hsm_slot WHERE node = $1 AND prefix = $2 AND slot = $3', [node, prefix, slot]);
  const binding: SlotBinding = {
    serial: known?.serial,
    async bind(serial) {
      await store.transaction((tx) => tx.run('INSERT INTO hsm_slot (node, prefix, slot, serial) VALUES ($1, $2, $3, $4)', [node, prefix, slot, serial]));
      binding.serial = serial;
    },
  };
  return binding;
}
