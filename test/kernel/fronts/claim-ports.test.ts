// The ports of a server before threads share them: two of its own on one port are found, though the system would let them share it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'uvu';
import type { KernelConfig } from '../../../kernel/config/sections.ts';
import { claimPorts } from '../../../kernel/fronts/claim-ports.ts';
import type { Listener } from '../../../kernel/listener/listener.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const claim = (port: number, ...listeners: readonly Pick<Listener, 'setting' | 'host' | 'port'>[]) =>
  claimPorts({ host: '127.0.0.1', port } as KernelConfig['http'], listeners as readonly Listener[], { requestCert: true });

test('a listener on the port of HTTPS, or of another listener, stops the start; free ports are given back', async () => {
  const [port, other] = [await freePort(), await freePort()];
  const listener = { setting: 'keys.kmip_listener', host: '127.0.0.1', port };
  await assert.rejects(claim(port, listener), /keys\.kmip_listener: 127\.0\.0\.1 port \d+ is that of HTTPS/);
  await assert.rejects(claim(port, { ...listener, host: '0.0.0.0' }), /keys\.kmip_listener: cannot listen on 0\.0\.0\.0 port \d+ \(EADDRINUSE\)/);
  await assert.rejects(claim(port, { ...listener, port: other }, { ...listener, setting: 'second', port: other }), /second: cannot listen on .*EADDRINUSE/);
  await claim(port, { ...listener, port: other });
  await claim(port, { ...listener, port: other });
  await claim(0, { ...listener, port: 0 });
});

test.run();
