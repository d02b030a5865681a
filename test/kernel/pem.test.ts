// What is read of a PEM file can be given to another thread, whole and alone.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { readPem } from '../../kernel/pem.ts';
import { inspectPayload } from '../../kernel/runtime/bytes.ts';
import { makeCertificate, SERVER_AUTH } from '../certificates.ts';
import { temporaryFolder } from '../server.ts';

test('a small file is read into a buffer of its own, and not into the one that Node shares', async () => {
  const { cert, key } = await makeCertificate('CN=server', { usage: SERVER_AUTH });
  const folder = temporaryFolder();
  for (const [kind, text] of [
    ['certificate', cert],
    ['privateKey', key],
  ] as const) {
    const path = join(folder, kind);
    writeFileSync(path, text);
    const bytes = readPem(path, kind, assert.fail);
    assert.equal(String(bytes), text);
    assert.deepEqual(inspectPayload({ bytes }), []);
    assert.equal(bytes?.buffer.byteLength, text.length);
  }
});

test.run();
