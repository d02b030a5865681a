// Writes all test models: `node test/models/write.ts FOLDER`. Without a folder it writes digests.json again, after a change that is meant.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { modelFiles, TEST_MODELS, writeModel } from './build.ts';

const [folder] = process.argv.slice(2);
const digests: Record<string, string> = {};
for (const id of TEST_MODELS) {
  if (folder !== undefined) console.log(writeModel(id, folder));
  else for (const [path, bytes] of modelFiles(id)) digests[`${id}/${path}`] = createHash('sha256').update(bytes).digest('hex');
}
if (folder === undefined) writeFileSync(new URL('digests.json', import.meta.url), `${JSON.stringify(digests, null, 2)}\n`);
