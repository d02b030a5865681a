// The task of an actor's own thread: creates the actor and serves it until it is stopped.
import { createClock } from '../../clock.ts';
import { createVersions } from '../../versions.ts';
import { openChannel } from '../channel/channel.ts';
import { portWire } from '../channel/wires.ts';
import { collectLargeBytes, IN_ACTORS } from '../measure/collect.ts';
import { host } from './host.ts';
import type { ThreadTask } from './thread.ts';

export default async function serve({ port, offset, versions, ...task }: ThreadTask): Promise<void> {
  const endCollecting = collectLargeBytes(IN_ACTORS);
  await host(task, openChannel(portWire(port)), {
    clock: createClock(offset),
    versions: createVersions(versions),
    channel: (message) => openChannel(portWire(message['port'] as typeof port)),
  });
  endCollecting();
}
