// Carries the batches of a direct channel between a thread's port and a process's IPC, unread.
import type { MessagePort } from 'node:worker_threads';
import type { Wire } from './line.ts';
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
