// The health check of the image asks where the server listens, whichever way that was said.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { addressOf } from '../../packaging/health.mjs';

const ENV = { GATEHOUSE_HTTP_HOST: '0.0.0.0', GATEHOUSE_HTTP_PORT: '8443' };
const line = (...words: string[]) => ['/usr/lib/gatehouse/node_modules/node/bin/node', '/usr/lib/gatehouse/main.js', ...words, ''].join('\0');

test('the variables say where the server listens, and its flags beat them', () => {
  assert.deepEqual(addressOf({ ...ENV, GATEHOUSE_HTTP_PORT: '9443' }, line()), { host: '127.0.0.1', port: '9443' });
  for (const words of [['--port', '9443'], ['--port=9443'], ['--port', '1', '--data-dir', 'x', '--port', '9443']])
    assert.deepEqual(addressOf(ENV, line(...words)), { host: '127.0.0.1', port: '9443' }, words.join(' '));
  assert.deepEqual(addressOf(ENV, line('--host', '192.0.2.1')), { host: '192.0.2.1', port: '8443' });
  assert.deepEqual(addressOf({ ...ENV, GATEHOUSE_HTTP_HOST: '::' }, `/dev/init\0--\0${line('--port', '9443')}`), { host: '::1', port: '9443' });
});

test('another program that is the first process says nothing, nor does none', () => {
  for (const other of [['/sbin/init', '--port', '1', ''].join('\0'), '']) assert.deepEqual(addressOf(ENV, other), { host: '127.0.0.1', port: '8443' });
});

test.run();
