// The task of a thread that several actors share: creates each of them when it is told to, and ends after the last one has stopped.
import { createClock } from '../../clock.ts';
import { createVersions } from '../../versions.ts';
import { type Channel, openChannel } from '../channel/channel.ts';
import type { HostTask } from '../channel/incarnation.ts';
import { portWire } from '../channel/wires.ts';
import { collectLargeBytes, IN_ACTORS } from '../measure/collect.ts';
import { host } from './host.ts';
import type { WorkerTask } from './worker.ts';

export default function serve({ port, offset, versions }: WorkerTask): Promise<void> {
  const management = openChannel(portWire(port));
  const surroundings = {
    clock: createClock(offset),
    versions: createVersions(versions),
    channel: (message: object): Channel => openChannel(portWire((message as { port: typeof port }).port)),
  };
  const endCollecting = collectLargeBytes(IN_ACTORS);
  return new Promise((resolve, reject) => {
    const end = () => {
      endCollecting();
      management.close();
      resolve();
    };
    management.onControl((message) => {
      if (message.kind === 'end') end();
      if (message.kind !== 'host') return;
      const channel = surroundings.channel(message);
      // What fails here is not the actor's start but the machinery: the thread ends, and all its actors start again.
      host(message['task'] as HostTask, channel, surroundings).then(() => {
        channel.flush();
        management.control({ kind: 'left', member: message['member'] });
      }, reject);
    });
    // If the channel closes, the kernel is gone.
    management.onClose(end);
  });
}
