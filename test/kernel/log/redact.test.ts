// The log: what is redacted, what is not, and the request an entry belongs to.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { callContext } from '../../../kernel/call-context.ts';
import { createLog } from '../../../kernel/log/log.ts';

function logged(fields: Record<string, unknown>, level: 'debug' | 'info' = 'debug'): Record<string, unknown> | undefined {
  const lines: string[] = [];
  createLog(level, { write: (line) => void lines.push(line) }).debug(fields, 'event');
  return lines[0] === undefined ? undefined : JSON.parse(lines[0]);
}

test('secrets are redacted by the name of their key, however deep', () => {
  const names = [
    'password',
    'new_password',
    'hsm_password',
    'hsmPassword',
    'pin',
    'secret',
    'secret_id',
    'client_secret',
    'token',
    'client_token',
    'cookie',
    'cookie_string',
    'Authorization',
    'authorization',
    'private_key',
    'root_key',
    'passphrase',
    'password_hash',
    'totp_secret',
    'token_hash',
  ];
  const line = logged({ top: Object.fromEntries(names.map((name) => [name, 'hunter2'])), list: [{ password: 'hunter2' }], password: 'hunter2' });
  assert.ok(!JSON.stringify(line).includes('hunter2'), JSON.stringify(line));
  assert.equal(JSON.stringify(line).match(/\[redacted\]/g)?.length, names.length + 2);
});

test('names that only look alike stay readable', () => {
  assert.deepEqual(
    (logged({ shipping: 'a', secret_id_accessor: 'b', tokens_generated: 3, slot: 1 }) as object | undefined) &&
      Object.entries(logged({ shipping: 'a', secret_id_accessor: 'b', tokens_generated: 3 }) ?? {}).slice(2, 5),
    [
      ['shipping', 'a'],
      ['secret_id_accessor', 'b'],
      ['tokens_generated', 3],
    ],
  );
});

test('bytes are never printed, and errors keep their stack', () => {
  const line = logged({ data: new Uint8Array([1, 2, 3]), error: new Error('what happened') });
  assert.equal(line?.['data'], '[3 bytes]');
  assert.match(String(line?.['error']), /what happened\n\s+at /);
});

test('what steers a terminal, or turns or hides text, is escaped, and means the same', () => {
  const said = 'a\u001b[2J \u009b2J \u007f \u0085 \u2028 \u202e \u200b \ufeff \u{e0041} \ud800 \u00e9 \u{1f600}\r\n{"level":"error"}';
  const lines: string[] = [];
  createLog('debug', { write: (line) => void lines.push(line) }).debug({ said, [`key${said}`]: [{ said }] }, said);
  assert.doesNotMatch(lines.join('').slice(0, -1), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
  const entry = JSON.parse(lines.join(''));
  assert.deepEqual([entry.said, entry[`key${said}`], entry.msg], [said, [{ said }], said]);
  assert.match(lines.join(''), /\u00e9 \u{1f600}/u, 'letters and signs stay as they are');
});

test('an entry names its request, and a level that is off costs nothing', () => {
  callContext.run({ requestId: 'r-9' }, () => assert.equal(logged({})?.['request_id'], 'r-9'));
  assert.equal(logged({}, 'info'), undefined);
});

test.run();
