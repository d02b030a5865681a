// Goes on with the rewrapping that the rotation of a wrapping key has left undone: the server was killed, or the store had failed.
import { viewAccounts } from '../../kernel/store/accounts.ts';
import { WORKING_VERSION } from '../../kmip/version.ts';
import { BatchContext } from './context.ts';
import { linkedTo } from './object/create.ts';
import { isDestroyed } from './object/life/lifecycle.ts';
import type { Draft } from './object/managed-object.ts';
import { type Rekeyed, rewrapLeft } from './object/wrapping/rewrapping.ts';
import { claimUnfinished, noteDone, type Unfinished } from './object/wrapping/rewrapping-rows.ts';
import type { ObjectTransaction } from './operation-context.ts';
import type { KeyServer } from './server.ts';

/** Time limit of one run: the rest is for the next one. */
const MAX_TIME_MS = 20_000;

export async function resumeRewrapping(server: KeyServer): Promise<void> {
  const until = server.monotonic() + MAX_TIME_MS;
  const isOver = () => server.monotonic() > until;
  while (!isOver()) {
    const unfinished = await claimUnfinished(server.store, server.now());
    if (!unfinished) return;
    await resume(server, unfinished, isOver);
  }
}

async function resume(server: KeyServer, unfinished: Unfinished, isOver: () => boolean): Promise<void> {
  const owner = (await server.rows.describe(server.store, unfinished.old))?.object.owner ?? '';
  const name = (await viewAccounts(server.store, [owner])).get(owner)?.name ?? owner;
  // With the rights of the owner, who has asked for the rotation.
  const ctx = new BatchContext(server, { user: owner, name, scheme: 'rotation', source: '' }, WORKING_VERSION);
  try {
    const rekeyed = await ctx.change((tx) => read(tx, unfinished));
    if (rekeyed) await rewrapLeft(ctx, rekeyed, isOver);
  } finally {
    ctx.opening.end();
  }
}

/** @returns undefined if nothing can be done any more */
async function read(tx: ObjectTransaction, { old: id, replacement: by }: Unfinished): Promise<Rekeyed | undefined> {
  const [old, replacement] = [await tx.readWhole(id), await tx.readWhole(by)];
  // Another key may have the identifier by now.
  const isReplaced = old && replacement && old.owner === replacement.owner && linkedTo(old, 'ReplacementObjectLink') === by;
  const left = isReplaced && isThere(old) && isThere(replacement) ? await tx.findWrapped(old) : [];
  if (left.length > 0) return { old: old as Draft, replacement: replacement as Draft, left };
  await noteDone(tx.tx, id);
  return undefined;
}

const isThere = ({ state, content }: Draft): boolean => !isDestroyed(state) && content !== undefined;
