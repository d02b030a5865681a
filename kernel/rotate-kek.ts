// `--rotate-kek`: another root key in the place of the one in use, without a moment in which nothing opens the database.
import { ConfigError } from './config/load.ts';
import { DATA_KEY_LOCK, dataKeyRows, labelOf } from './data-key-row.ts';
import { openStored, overwrite } from './keyring.ts';
import { keptRootKeyPath, parseRootKey, type RootKeySource, randomRootKey, rootKeyPath, settleRootKeyFiles, writeNextRootKey } from './root-key.ts';
import type { Store } from './store/store.ts';

/**
 * Wraps the data keys that the root key wraps by another one, which is `source.next`, or a random one in the place of the file `root.key`. The data keys stay: nodes
 * that run hold them and notice nothing. A crash at any moment leaves a root key that opens the database at the next start.
 * @returns what the operator has to know
 * @throws ConfigError when a root key is configured and no new one given, or the one in use does not open the data keys
 */
export async function rotateKek(store: Store, source: RootKeySource): Promise<string> {
  const { dataDir, configured } = source;
  if (configured !== '' && source.next === undefined)
    throw new ConfigError(['--rotate-kek: store.root_key is configured, so --new-root-key has to name the new one']);
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
  if (replaced === undefined) return `--rotate-kek: the data keys were wrapped by the root key ${next.id} already`;
  settleRootKeyFiles(source, next);
  const told = `--rotate-kek: the data keys are wrapped by the root key ${next.id}`;
  if (configured !== '') return `${told}: make it [store] root_key before the next start of any node, and keep ${replaced} for the backups made before`;
  return `${told} in ${rootKeyPath(dataDir)}: back it up; ${keptRootKeyPath(dataDir, replaced)} is for the backups made before`;
}
