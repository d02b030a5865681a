// The value of a key that a token unwraps for itself crosses to no thread of the server: all messages of all threads are searched for it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { skipWithout } from '../../system.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Whether bytes are in it as they are, or as text. */
function isIn(all: Buffer, value: Buffer): boolean {
  const texts = [value.toString('hex'), value.toString('hex').toUpperCase(), value.toString('base64'), value.toString('base64url')];
  return all.includes(value) || texts.some((text) => all.includes(text));
}

function messages(): void {
  test('no message has a key that the token unwraps; one that it cannot unwrap is found, so the search works', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-messages-'));
    try {
      const [wrapping, hidden, encoded] = [randomBytes(32), randomBytes(32), randomBytes(32)];
      const keys = [wrapping, hidden, encoded].map((key) => key.toString('hex'));
      const args = ['--disable-warning=ExperimentalWarning', '--import', path('./record-messages.mjs'), path('./wrapped-uses.ts'), ...keys];
      execFileSync(process.execPath, args, { env: { ...process.env, RECORDED_MESSAGES: folder }, stdio: ['ignore', 'ignore', 'inherit'] });
      const threads = readdirSync(folder);
      assert.ok(threads.length > 2, `${threads.length} threads`);
      const all = Buffer.concat(threads.map((name) => readFileSync(join(folder, name))));
      assert.ok(isIn(all, encoded), 'of this key the value crosses');
      assert.ok(!isIn(all, hidden), 'and not of this one');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

if (!skipWithout('softhsm2')) {
  messages();
  test.run();
}
