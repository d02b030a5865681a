// Checks the data folder: who can read it, whether the root key is one, and whether the disk has room.
import { accessSync, constants, type Stats, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../kernel/config/config-error.ts';
import { wrongKinds, wrongTlsKinds } from '../../kernel/file-kind.ts';
import { rootKeys } from '../../kernel/keys/root-key.ts';
import { type Check, type Finding, type Installation, ok, problem, warning } from './finding.ts';
import { octalMode } from './mode.ts';

/** Bytes. Below the first the store soon cannot be written. */
const LITTLE_ROOM = 100_000_000;
const SCARCE_ROOM = 1_000_000_000;

/** Files that nobody else may read; the initial password is there until it is changed. */
const SECRETS = ['root.key', 'gatehouse.db', 'gatehouse.db-wal', 'tls/key.pem', 'initial-password'];

export const checkFiles: Check = (installation) => {
  const folder = statOf(installation.dataDir);
  // Of a server that runs elsewhere, all that follows would look well.
  if (!folder)
    return [
      warning(
        'data folder',
        `${installation.dataDir} is not there yet; the first start makes it`,
        'if a server has run here already, name its folder with --data-dir',
      ),
    ];
  return [
    privacy(installation.dataDir, folder, 'data folder', '700'),
    ...kinds(installation),
    ...secrets(installation),
    ...rootKey(installation),
    room(installation),
  ];
};

function kinds({ config, dataDir }: Installation): Finding[] {
  const wrong = [...wrongKinds(dataDir), ...(config.http.tls.cert === '' ? wrongTlsKinds(dataDir) : [])];
  return wrong.map((says) => problem('data folder', says, 'a container leaves a folder where a file that it was to mount is missing'));
}

/** @returns why nothing in the data folder can be looked at; undefined if it can, or if there is none yet */
export function unreadableFolder(dataDir: string): Finding | undefined {
  try {
    if (!statSync(dataDir).isDirectory()) return problem('data folder', `${dataDir} is not a folder`, 'move it away, or name another one with --data-dir');
    accessSync(dataDir, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    return problem('data folder', `${dataDir} cannot be read (${code})`, 'run doctor as the user of the server, or name another one with --data-dir');
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function privacy(path: string, { mode, uid }: Stats, about: string, wanted: string): Finding {
  const own = process.getuid?.();
  if (own !== undefined && own !== 0 && uid !== own)
    return problem(about, `${path} belongs to another user (${uid})`, `run doctor as the user of the server, or chown it`);
  if ((mode & 0o077) !== 0) return problem(about, `other users can use ${path} (mode ${octalMode(mode)})`, `chmod ${wanted} ${path}`);
  return ok(about, `${path} is for its owner only`);
}

function secrets({ dataDir }: Installation): Finding[] {
  return SECRETS.flatMap((name) => {
    const path = join(dataDir, name);
    const stat = statOf(path);
    if (!stat?.isFile()) return [];
    const found = privacy(path, stat, name, '600');
    if (name !== 'initial-password') return [found];
    return [found, warning(name, 'the administrator still has the initial password', 'sign in and change it: gatehouse login --user admin')];
  });
}

function rootKey({ config, dataDir }: Installation): Finding[] {
  try {
    for (const root of rootKeys({ dataDir, configured: config.store.root_key })) root.forget();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [problem('root key', error.problems.join('; '), 'put the file back from where you keep it: without it nobody can open the keys')];
  }
}

function room({ dataDir }: Installation): Finding {
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const says = `${Math.floor(free / 1_000_000)} MB are free for ${dataDir}`;
  if (free < LITTLE_ROOM) return problem('disk', says, 'make room: what cannot be written is refused');
  return free < SCARCE_ROOM ? warning('disk', says, 'make room soon') : ok('disk', says);
}
