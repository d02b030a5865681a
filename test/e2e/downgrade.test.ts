// A data folder that a newer version has changed: this one refuses it with a sentence, changes nothing in it, and the newer one can go on.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { examine } from '../../command/doctor/doctor.ts';
import { temporaryFolder } from '../server.ts';
import { exitOf, launch, rowsOf, start } from './started.ts';

test('data of a newer version are refused with a sentence that names the migration, and stay as they are', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const file = join(dataDir, 'gatehouse.db');
  const first = await start(dataDir);
  first.child.kill('SIGTERM');
  assert.equal(await exitOf(first.child), 0);
  await rowsOf(file, "INSERT INTO migration (owner, id, about, applied_at) VALUES ('keys', 999, 'of a newer version', 0)");
  const digest = () => createHash('sha256').update(readFileSync(file)).digest('hex');
  const before = digest();
  const { child, output } = launch(dataDir);
  assert.equal(await exitOf(child), 1);
  assert.match(
    output.text.trim(),
    /^gatehouse cannot start: the database has migration keys\/999, but this version knows migrations up to keys\/\d+; start the newer version that made it$/m,
  );
  assert.equal(output.text.includes('    at '), false, 'no stack');
  const tells = (await examine({ dataDir }, {}, Date.now())).filter(({ state, about }) => state === 'problem' && about === 'database');
  assert.match(tells.map(({ says }) => says).join(), /^the database has migration keys\/999, but this version knows migrations up to keys\/\d+$/);
  assert.equal(digest(), before);
  await rowsOf(file, 'DELETE FROM migration WHERE id = 999');
  const again = await start(dataDir);
  again.child.kill('SIGTERM');
  assert.equal(await exitOf(again.child), 0);
  rmSync(dataDir, { recursive: true });
});

test.run();
