// Loaded into a process before its program: writes the address of every connection that the process tries to make to the file that CONNECTIONS names.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import net from 'node:net';

const file = process.env.CONNECTIONS;
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...given) {
  const [options] = Array.isArray(given[0]) ? given[0] : given;
  appendFileSync(file, `${options.path ?? `${options.host ?? 'localhost'}:${options.port ?? options}`}\n`);
  return connect.apply(this, given);
};
subscribe('udp.socket', () => appendFileSync(file, 'udp\n'));
