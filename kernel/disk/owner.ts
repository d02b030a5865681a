// Who owns a folder, for commands that root runs on the data folder of a service.
import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Root goes on as the owner of a folder, or of the one that it is to be made in: what it makes there belongs to that user, and no link that this user has put
 * there leads root to another file. Where root may not do that, as in a container without capabilities, it stays root.
 */
export function becomeOwnerOf(path: string): void {
  if (process.geteuid?.() !== 0) return;
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  // Whoever has made a link decides where it leads: only one of root is followed.
  const link = lstatSync(folder);
  const { uid, gid } = link.uid === 0 ? statSync(folder) : link;
  if (uid === 0) return;
  try {
    process.setgroups?.([gid]);
    process.setgid?.(gid);
    process.setuid?.(uid);
  } catch {}
}
