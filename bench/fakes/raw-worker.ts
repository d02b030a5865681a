// The worker side of the comparisons: Comlink over a plain port, Comlink over the batching channel, and a bare batched port.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { expose } from 'comlink';
import { openChannel } from '../../kernel/runtime/channel.ts';
import { portWire } from '../../kernel/runtime/wires.ts';
import nodeEndpoint from './node-endpoint.ts';

const api = { echo: (text: string) => text };

parentPort?.on('message', ({ kind, port }: { kind: 'plain' | 'batched' | 'bare'; port: MessagePort }) => {
  if (kind === 'plain') expose(api, nodeEndpoint(port));
  if (kind === 'batched') expose(api, openChannel(portWire(port)).endpoint);
  if (kind === 'bare')
    port.on('message', (batch: { id: number; text: string }[]) => port.postMessage(batch.map(({ id, text }) => ({ id, text: api.echo(text) }))));
});
