// All faults that a run can have.
import { clientsHangUp } from './clients.ts';
import { clockJumps } from './clock.ts';
import { databaseRestarted, databaseStopped, listenersCut } from './database.ts';
import { databaseLocked, diskFull } from './disk.ts';
import type { Fault } from './fault.ts';
import { hsmCrashes, hsmHangs } from './hsm.ts';
import { databaseSlow, networkCut } from './network.ts';
import { nodeKilled, nodeStopped } from './processes.ts';
import { actorKilled, frontKilled } from './threads.ts';

export const FAULTS: readonly Fault[] = [
  actorKilled,
  frontKilled,
  nodeKilled,
  nodeStopped,
  hsmHangs,
  hsmCrashes,
  clientsHangUp,
  diskFull,
  databaseLocked,
  clockJumps,
  databaseStopped,
  databaseRestarted,
  databaseSlow,
  networkCut,
  listenersCut,
];

export const FAULT_NAMES: readonly string[] = FAULTS.map(({ name }) => name);
