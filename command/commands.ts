// All commands of `gatehouse`, in the order of its help.
import type { Command, Group } from './command.ts';
import { login } from './groups/login.ts';
import { logout, whoami } from './groups/session-end.ts';
import { KEY_GROUP } from './key/group.ts';

export const COMMANDS: readonly Command[] = [login, logout, whoami];

export const GROUPS: readonly Group[] = [KEY_GROUP];
