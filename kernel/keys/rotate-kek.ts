// `--rotate-kek`: replaces the root key, so that at every moment there is a key that opens the database.
import { ConfigError } from '../config/config-error.ts';
import type { Store } from '../store/store.ts';
import { DATA_KEY_LOCK, dataKeyRows, labelOf } from './data-key-row.ts';
import { openStored, overwrite } from './keyring.ts';
import { keptRootKeyPath, parseRootKey, type RootKeySource, randomRootKey, rootKeyPath, settleRootKeyFiles, writeNextRootKey } from './root-key.ts';

/**
 * Rewraps the data keys with a new root key: `source.next`, or a random key in the file `root.key`. The data keys themselves do not change, so
 * running nodes are not affected. After a crash at any moment there is a root key that opens the database at the next start.
 * @returns text that tells the operator the result
 * @throws ConfigError if a root key is configured and no new one is given, or the current one does not open the data keys
 */
export async function rotateKek(store: Store, source: RootKeySource): Promise<string> {
  const { dataDir, configured } = source;
  if (configured !== '' && source.next === undefined)
    throw new ConfigError(['--rotate-kek: store.root_key is configured, so the new root key must be given with --new-root-key']);
  const text = source.next ?? randomRootKey();
  const next = parseRootKey(text, '--new-root-key', true);
  const replaced = await store.transaction(
    async (tx) => {
      const opened = await openStored(source, await dataKeyRows(tx));
      const { root, keys } = opened;
      if (root.id !== next.id && configured === '') writeNextRootKey(dataDir, text);
      if (root.id !== next.id)
        for (const [purpose, { bytes, isSettled }] of keys)
          await tx.run('UPDATE data_key SET wrapped = $2 WHERE purpose = $1', [purpose, await next.wrap(bytes, labelOf(purpose, isSettled))]);
      overwrite(opened);
      if (root.id === next.id) return undefined;
      await tx.audit({ event: 'server.rotate_kek', outcome: 'success', target: next.id, reason: `replaces ${root.id}` });
      return root.id;
    },
    { lock: DATA_KEY_LOCK },
  );
  next.forget();
  if (replaced === undefined) return `--rotate-kek: nothing to do, the data keys are already wrapped by the root key ${next.id}`;
  settleRootKeyFiles(source, next);
  const told = `--rotate-kek: the data keys are now wrapped by the root key ${next.id}`;
  if (configured !== '') return `${told}; set [store] root_key to it before the next start of any node, and keep the root key ${replaced} for earlier backups`;
  return `${told} in ${rootKeyPath(dataDir)}; back up this file, and keep ${keptRootKeyPath(dataDir, replaced)} for earlier backups`;
}
