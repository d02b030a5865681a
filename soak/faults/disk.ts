// The disk of a data folder or of PostgreSQL is full, and the file of SQLite is locked by another process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Database } from '../database.ts';
import type { World } from '../world.ts';
import { allTell } from './database.ts';
import { comes, type Fault, onlyOn, show } from './fault.ts';

/** As SECURITY and operations promise: /ready tells it in that time. */
const TOLD_MS = 5_000;

const NO_DISK = 'a file system of its own cannot be mounted here';

export const diskFull: Fault = {
  name: 'disk-full',
  startsAnew: false,
  impossible: (world) => onlyOn('sqlite')(world) ?? (world.disk ? undefined : NO_DISK),
  async happen(world, ms) {
    const [node] = world.nodes as [World['nodes'][0]];
    const disk = world.disk as NonNullable<World['disk']>;
    try {
      const filled = disk.fill();
      const isTold = await comes(async () => (await node.ready()).status === 503, TOLD_MS);
      const told = await node.ready();
      if (!isTold) world.tally.wrong('the server works again after each fault', `/ready says ${told.status} ${TOLD_MS} ms after the disk was full`);
      await after(ms);
      return show(filled > 0 && isTold, `${filled} bytes filled the disk, and /ready answered: ${told.text.slice(0, 200)}`);
    } finally {
      disk.empty();
    }
  },
};

export const databaseDiskFull: Fault = {
  name: 'database-disk-full',
  startsAnew: false,
  impossible: (world) => onlyOn('postgres')(world) ?? (world.database?.postgres.disk ? undefined : NO_DISK),
  async happen(world, ms) {
    const { postgres } = world.database as Database;
    const disk = postgres.disk as NonNullable<typeof postgres.disk>;
    try {
      const filled = disk.fill();
      // Where its log finds no room PostgreSQL ends.
      const isTold = await allTell(world, 'the disk of the database is full', /the disk of the database is full|the database cannot be reached/);
      await after(ms);
      return show(filled > 0 && isTold, `${filled} bytes filled the disk of PostgreSQL, and /ready of all nodes answered 503`);
    } finally {
      disk.empty();
      await postgres.start();
    }
  },
};

export const databaseLocked: Fault = {
  name: 'database-locked',
  startsAnew: false,
  impossible: onlyOn('sqlite'),
  async happen({ nodes }, ms) {
    const [node] = nodes as [World['nodes'][0]];
    const lock = await locking(join(node.dataDir, 'gatehouse.db'));
    await after(ms);
    const isHeld = lock.exitCode === null && lock.signalCode === null;
    lock.kill('SIGKILL');
    await once(lock, 'exit');
    return show(isHeld, `another process had the write lock of the file for ${ms} ms`);
  },
};

async function locking(file: string): Promise<ChildProcess> {
  const program = `const db = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(file)}, { timeout: 30000 }); db.exec('BEGIN IMMEDIATE'); console.log('locked'); process.stdin.resume()`;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [said] = (await Promise.race([once(child.stdout as never, 'data'), once(child, 'exit')])) as [unknown];
  show(String(said).startsWith('locked'), 'the lock of the file');
  return child;
}
