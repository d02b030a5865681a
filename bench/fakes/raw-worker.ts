// The worker side of the comparison: a bare port that echoes batches of numbered messages.
import { type MessagePort, parentPort } from 'node:worker_threads';

parentPort?.on('message', ({ port }: { port: MessagePort }) => {
  port.on('message', (batch: { id: number; text: string }[]) => port.postMessage(batch.map(({ id, text }) => ({ id, text }))));
});
