// The direct channels from an actor to other actors, in its own thread. They are replaced when those actors restart.
import type { Api, PinnedRef } from '../actor.ts';
import type { Clock } from '../clock.ts';
import { Fault } from '../fault.ts';
import type { Channel } from './channel/channel.ts';
import { Dispatcher } from './channel/dispatcher.ts';
import type { HostTask } from './channel/incarnation.ts';
import { Mailbox } from './mailbox/mailbox.ts';
import { remoteOver } from './mailbox/remote.ts';

interface Peers {
  ref<A extends Api>(name: string): PinnedRef<A>;
  attach(name: string, key: string, channel: Channel): void;
  close(): void;
}

export function openPeers(declared: HostTask['peers'], clock: Clock): Peers {
  const mailboxes = new Map<string, Map<string, Mailbox>>();
  for (const [name, { keys, deadlineMs, maxQueue }] of Object.entries(declared)) {
    const mailbox = () => new Mailbox([new Dispatcher()], { name, deadlineMs, maxQueue, perDispatcher: maxQueue, clock, observe: () => {} });
    mailboxes.set(name, new Map(keys.map((key) => [key, mailbox()])));
  }
  const open = new Set<Channel>();
  return {
    ref<A extends Api>(name: string): PinnedRef<A> {
      const byKey = mailboxes.get(name);
      if (!byKey) throw new TypeError(`the spec must name the actor ${name} in peers`);
      const remotes = new Map([...byKey].map(([key, mailbox]) => [key, remoteOver<A>(mailbox)]));
      return { keys: () => [...remotes.keys()], about: (key) => declared[name]?.about[key], at: (key) => remotes.get(key) ?? unknownKey(name, key) };
    },
    attach(name, key, channel) {
      const dispatcher = mailboxes.get(name)?.get(key)?.dispatchers[0];
      if (!dispatcher) return channel.close();
      open.add(channel);
      channel.onClose(() => {
        open.delete(channel);
        if (dispatcher.serves(channel)) dispatcher.detach(`the channel to ${name}/${key} closed`);
      });
      dispatcher.attach(channel);
    },
    close() {
      for (const channel of open) channel.close();
    },
  };
}

export function unknownKey(name: string, key: string): never {
  throw new Fault('NOT_FOUND', { detail: `there is no ${name} named ${key}` });
}
