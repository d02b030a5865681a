// The typed remote of an actor that callers use: its methods are calls through a mailbox.
import type { Api, Remote } from '../actor.ts';
import type { Mailbox } from './mailbox.ts';
import type { CallOptions } from './pending.ts';

const OPTIONS = Symbol('call options');

interface Optional {
  [OPTIONS](options: CallOptions): unknown;
}

/** @returns the typed remote over a mailbox. It has methods only, and each is created once. */
export function remoteOver<A extends Api>(mailbox: Pick<Mailbox, 'call'>, options: CallOptions = {}): Remote<A> {
  const methods = new Map<string | symbol, unknown>([
    // A remote is not a promise: awaiting it by mistake must not call a method `then` of the actor.
    ['then', undefined],
    [OPTIONS, (more: CallOptions) => remoteOver(mailbox, { ...options, ...more })],
  ]);
  return new Proxy(Object.create(null), {
    get(_target, name) {
      if (!methods.has(name)) methods.set(name, (...args: unknown[]) => mailbox.call(String(name), args, options));
      return methods.get(name);
    },
    set: () => false,
  }) as Remote<A>;
}

/** @returns the same remote, with another deadline or with a signal that cancels calls */
export function callWith<A extends Api>(remote: Remote<A>, options: CallOptions): Remote<A> {
  return (remote as unknown as Optional)[OPTIONS](options) as Remote<A>;
}
