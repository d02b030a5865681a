// The kinds and states of managed objects, by their codes.
import type { ENUM } from './ttlv/enumeration.ts';

export type ObjectType = (typeof ENUM.ObjectType)[keyof typeof ENUM.ObjectType];

export type State = (typeof ENUM.State)[keyof typeof ENUM.State];
