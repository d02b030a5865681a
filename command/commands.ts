// All commands of `gatehouse`, in the order of its help.
import type { Command, Group } from './command.ts';
import { doctor } from './doctor/doctor.ts';
import { ADMIN_GROUP } from './groups/admin.ts';
import { audit } from './groups/audit.ts';
import { BASE_GROUP } from './groups/base.ts';
import { CLUSTER_ROLE_GROUP } from './groups/cluster-role.ts';
import { HSM_GROUP } from './groups/hsm.ts';
import { backup, CONFIG_GROUP, MODEL_GROUP, restore } from './groups/local.ts';
import { login } from './groups/login.ts';
import { SECRET_ID_GROUP, TOKEN_GROUP } from './groups/machine.ts';
import { REALM_GROUP } from './groups/realm.ts';
import { ROLE_GROUP } from './groups/role.ts';
import { SESSION_GROUP } from './groups/session.ts';
import { logout, whoami } from './groups/session-end.ts';
import { status } from './groups/status.ts';
import { TOMBSTONE_GROUP } from './groups/tombstone.ts';
import { USER_GROUP } from './groups/user.ts';
import { KEY_GROUP } from './key/group.ts';

export const COMMANDS: readonly Command[] = [login, logout, whoami, status, audit, backup, restore, doctor];

export const GROUPS: readonly Group[] = [
  REALM_GROUP,
  USER_GROUP,
  ADMIN_GROUP,
  ROLE_GROUP,
  SECRET_ID_GROUP,
  CLUSTER_ROLE_GROUP,
  TOKEN_GROUP,
  SESSION_GROUP,
  KEY_GROUP,
  TOMBSTONE_GROUP,
  HSM_GROUP,
  MODEL_GROUP,
  BASE_GROUP,
  CONFIG_GROUP,
];
