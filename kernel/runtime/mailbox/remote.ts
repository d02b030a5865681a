// The typed remote of an actor that callers use: its methods are calls through a mailbox.
import type { Api, AtOnce, Remote } from '../../actor.ts';
import type { CallOptions } from '../channel/pending.ts';
import type { Mailbox } from './mailbox.ts';

const OPTIONS = Symbol('call options');
const AT_ONCE = Symbol('at once');

interface Optional {
  [OPTIONS](options: CallOptions): unknown;
  readonly [AT_ONCE]: unknown;
}

/** @returns the typed remote over a mailbox. It has methods only, and each is created once. */
export function remoteOver<A extends Api>(mailbox: Pick<Mailbox, 'call'>, options: CallOptions = {}): Remote<A> {
  const known = {
    [OPTIONS]: (more: CallOptions) => remoteOver(mailbox, { ...options, ...more }),
    [AT_ONCE]: methodsOver(
      (name) =>
        (...args) =>
          mailbox.call(name, args, options),
    ),
  };
  return methodsOver(
    (name) =>
      (...args) => {
        const answer = mailbox.call(name, args, options);
        return answer instanceof Promise ? answer : Promise.resolve(answer);
      },
    known,
  ) as Remote<A>;
}

/** @param known those that are known already. The proxy is behind the methods: one that was made is found without it, as quickly as any. */
function methodsOver(make: (name: string) => (...args: unknown[]) => unknown, known: Partial<Optional> = {}): unknown {
  const making = new Proxy(Object.create(null), {
    get(_target, name, remote) {
      // A remote is not a promise: awaiting it by mistake must not call a method `then` of the actor.
      const value = name === 'then' ? undefined : make(String(name));
      Object.defineProperty(remote, name, { value });
      return value;
    },
    set: () => false,
  });
  return Object.create(making, Object.getOwnPropertyDescriptors(known));
}

/** @returns the same remote, whose methods answer without a promise what the part of the actor beside the caller has at once */
export function atOnce<A extends Api>(remote: Remote<A>): AtOnce<A> {
  return (remote as unknown as Optional)[AT_ONCE] as AtOnce<A>;
}

/** @returns the same remote, with another deadline or with a signal that cancels calls */
export function callWith<A extends Api>(remote: Remote<A>, options: CallOptions): Remote<A> {
  return (remote as unknown as Optional)[OPTIONS](options) as Remote<A>;
}
