// The codes of the types and states of managed objects.
import type { ENUM } from './ttlv/enumeration.ts';

export type ObjectType = (typeof ENUM.ObjectType)[keyof typeof ENUM.ObjectType];

export type State = (typeof ENUM.State)[keyof typeof ENUM.State];
