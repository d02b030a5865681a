// Makes the references that callers use: one remote per instance or shard, or one for all replicas.
import type { AnySpec, Api, PinnedRef, Remote, ShardedRef } from '../../actor.ts';
import { hashOf } from '../../versions.ts';
import { unknownKey } from '../peers.ts';
import type { Mailbox } from './mailbox.ts';
import { remoteOver } from './remote.ts';

export function keysOf(spec: AnySpec): readonly string[] {
  if (spec.kind === 'pinned') return Object.keys(spec.instances);
  return Array.from({ length: spec.kind === 'sharded' ? spec.shards : spec.size }, (_, index) => String(index));
}

export const aboutOf = (spec: AnySpec): Readonly<Record<string, unknown>> => (spec.kind === 'pinned' ? (spec.about ?? {}) : {});

export function refOver(
  name: string,
  spec: AnySpec,
  keys: readonly string[],
  mailboxes: readonly Pick<Mailbox, 'call'>[],
): Remote<Api> | PinnedRef<Api> | ShardedRef<Api> {
  const remotes = mailboxes.map((mailbox) => remoteOver<Api>(mailbox));
  if (spec.kind === 'replicated') return remotes[0] as Remote<Api>;
  if (spec.kind === 'sharded') return { of: (key: string) => remotes[hashOf(key) % remotes.length] as Remote<Api>, all: () => remotes };
  const byKey = new Map(keys.map((key, index) => [key, remotes[index] as Remote<Api>]));
  return { keys: () => keys, about: (key: string) => aboutOf(spec)[key], at: (key: string) => byKey.get(key) ?? unknownKey(name, key) };
}
