// The actor's end of a channel, in a thread or a process: creates the actor, serves its calls, and handles the kernel's control messages.
import type { Actor, ActorContext, ActorFactory, Api, Call } from '../../actor.ts';
import { callContext, currentRequestId } from '../../call-context.ts';
import type { LocalClock } from '../../clock.ts';
import { encodeFault } from '../../fault.ts';
import { type Log, logTo } from '../../log/log-entry.ts';
import { spanOutbox } from '../../tracing/span-outbox.ts';
import { currentTraceId } from '../../tracing/unchosen.ts';
import type { Versions } from '../../versions.ts';
import type { Channel } from '../channel/channel.ts';
import { exposeApi } from '../channel/facade.ts';
import type { HostTask } from '../channel/incarnation.ts';
import type { Control } from '../channel/messages.ts';
import { ownThread } from '../measure/thread-time.ts';
import { openPeers } from '../peers.ts';

interface HostSurroundings {
  readonly clock: LocalClock;
  readonly versions: Versions | undefined;
  /** @returns the direct channel that a control message announces */
  channel(announcement: Control): Channel;
}

/** Settles after a graceful stop. If the factory throws, it reports that to the kernel and also waits to be stopped. */
export async function host(task: HostTask, channel: Channel, surroundings: HostSurroundings): Promise<void> {
  const stopping = new AbortController();
  const peers = openPeers(task.peers, surroundings.clock);
  const stopped = new Promise<void>((resolve) => {
    channel.onControl((message) => {
      if (message.kind === 'stop') resolve();
      if (message.kind === 'clock') void surroundings.clock.fireDue().then((fired) => channel.control({ kind: 'moved', fired }));
      if (message.kind === 'peer') peers.attach(message['name'] as string, message['key'] as string, surroundings.channel(message));
    });
    // If the channel closes without a stop message, the kernel is gone.
    channel.onClose(resolve);
  });
  let actor: Actor<Api>;
  try {
    const { default: factory } = (await import(task.module)) as { default: ActorFactory<Api, unknown> };
    actor = await factory(task.args, context(task, channel, surroundings, stopping.signal, peers.ref));
  } catch (error) {
    channel.control({ kind: 'failed', fault: encodeFault(error) });
    // The kernel ends this thread or process after it has read the reason. If it ended by itself, the reason could be lost.
    return stopped;
  }
  const spans = task.isTraced ? spanOutbox(channel) : undefined;
  const expose = (to: Channel) => {
    exposeApi(actor.api, to, spans?.push);
    to.onControl(({ kind }) => kind === 'whichThread' && to.control({ kind: 'thread', number: ownThread() }));
  };
  expose(channel);
  channel.onControl((message) => {
    if (message.kind === 'serve') expose(surroundings.channel(message));
  });
  channel.control({ kind: 'started' });
  await stopped;
  stopping.abort();
  await actor.stop?.();
  peers.close();
  spans?.flush();
  channel.control({ kind: 'stopped' });
  channel.flush();
}

function context(task: HostTask, channel: Channel, { clock, versions }: HostSurroundings, signal: AbortSignal, peer: ActorContext['peer']): ActorContext {
  const { name, key, store, node, dataKeys, adopts, isTraced } = task;
  return {
    name,
    key,
    node,
    signal,
    clock,
    versions,
    log: channelLog(channel),
    peer,
    dataKey: (purpose) => dataKeys[purpose] ?? missing(`dataKeys: ['${purpose}']`, name),
    adopts: (purpose) => adopts.includes(purpose),
    call: currentCall,
    apart: (requestId, work) => callContext.run({ requestId }, work),
    report: (status) => channel.control({ kind: 'report', status }),
    async openStore() {
      if (!store) return missing('store: true', name);
      const { openStore } = await import('../../store/open.ts');
      const cache = versions && { versions, node, origin: store.origin ?? node };
      const opened = await openStore(store.url, { writer: `${node}/${name}/${key}`, clock, cache });
      return isTraced ? (await import('../../tracing/traced-store.ts')).tracedStore(opened) : opened;
    },
  };
}

/** Work apart from all calls has a request ID only. */
function currentCall(): Call | undefined {
  const current = callContext.getStore();
  return current?.aside ? (current as Call) : undefined;
}

function missing(what: string, name: string): never {
  throw new TypeError(`the spec of actor ${name} must have ${what}`);
}

/** Sends log entries to the kernel's logger, with the ID of the request that they belong to. */
function channelLog(channel: Channel): Log {
  return logTo((level, fields, message) =>
    channel.control({ kind: 'log', level, message, fields: { ...fields, request_id: currentRequestId(), trace_id: currentTraceId() } }),
  );
}
