// All faults that a run can have.
import { clientsHangUp } from './clients.ts';
import { clockJumps } from './clock.ts';
import { databaseRestarted, databaseStopped, listenersCut } from './database.ts';
import { databaseDiskFull, databaseLocked, diskFull } from './disk.ts';
import { databaseFailsOver } from './fail-over.ts';
import type { Fault } from './fault.ts';
import { hsmCrashes, hsmHangs } from './hsm.ts';
import { memoryShort } from './memory.ts';
import { databaseSlow, networkCut } from './network.ts';
import { nodeKilled, nodeStopped } from './processes.ts';
import { actorKilled, frontKilled } from './threads.ts';

export const FAULTS: readonly Fault[] = [
  actorKilled,
  frontKilled,
  nodeKilled,
  nodeStopped,
  memoryShort,
  hsmHangs,
  hsmCrashes,
  clientsHangUp,
  diskFull,
  databaseLocked,
  clockJumps,
  databaseStopped,
  databaseRestarted,
  databaseFailsOver,
  databaseDiskFull,
  databaseSlow,
  networkCut,
  listenersCut,
];

export const FAULT_NAMES: readonly string[] = FAULTS.map(({ name }) => name);
