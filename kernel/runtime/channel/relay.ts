// Forwards the batches of a direct channel between the port of a thread and the IPC of a process, without reading them.
import type { MessagePort } from 'node:worker_threads';
import type { Wire } from './channel.ts';
import { portWire } from './wires.ts';

export function openRelay(port: MessagePort, processEnd: Wire): void {
  const threadEnd = portWire(port);
  threadEnd.listen(
    (batch) => processEnd.post(batch, []),
    () => processEnd.close(),
  );
  processEnd.listen(
    (batch) => threadEnd.post(batch, []),
    () => threadEnd.close(),
  );
}
