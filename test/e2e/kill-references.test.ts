// kill -9 at random moments while a document is added in place of another: the base has the old or the new one, whole, and a restart keeps it.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { docx, form } from '../plugins/ai/files.ts';
import { temporaryFolder } from '../server.ts';
import { exitOf, integrity, rowsOf, type Started, serverPid, start } from './started.ts';

const ROUNDS = 3;
const CHAPTERS = 1_000;
/** Additions of a round; the server is killed during one of them. */
const MOST = 6;
const KILL_WITHIN_MS = 1_000;

/** The number of its passages tells its version. */
const passagesOf = (version: number) => CHAPTERS + version;
const document = (version: number) =>
  docx(Array.from({ length: passagesOf(version) }, (_, index) => [`# Chapter ${index}`, `Edition number${version} has this sentence.`]).flat());
const post = async ({ ask: send }: Started, path: string, ...given: Parameters<typeof form>) => send('POST', path, await form(...given));

interface Versions {
  answered: number;
  sent: number;
}

async function addOn(server: Started, versions: Versions, documents: readonly Buffer[]): Promise<void> {
  for (const bytes of documents) {
    versions.sent += 1;
    const answer = await post(server, '/add_reference', { db: 'documents', reference: 'book' }, { name: 'a.docx', bytes }).catch(() => undefined);
    if (!answer) return;
    assert.equal(answer.status, 200);
    versions.answered = versions.sent;
  }
}

/** Looks at the file while no server runs, with another library. @returns the version that is there */
async function versionIn(file: string): Promise<number> {
  assert.equal(await integrity(file), 'ok');
  assert.deepEqual(
    await rowsOf(file, 'SELECT reference_id FROM ai_passage WHERE reference_id NOT IN (SELECT id FROM ai_reference)'),
    [],
    'passages of nothing',
  );
  const rows = await rowsOf<{ passages: number; last: number }>(
    file,
    'SELECT COUNT(*) AS passages, MAX(ordinal) AS last FROM ai_reference JOIN ai_passage ON reference_id = id GROUP BY id',
  );
  assert.ok(rows.length <= 1, 'a reference twice');
  const [{ passages, last } = { passages: CHAPTERS, last: CHAPTERS - 1 }] = rows;
  assert.equal(last, passages - 1);
  const added = "SELECT COUNT(*) AS passages FROM audit WHERE event = 'reference.add' AND outcome = 'success'";
  const [{ passages: audited } = { passages: -1 }] = await rowsOf<{ passages: number }>(file, added);
  assert.ok(audited <= passages - CHAPTERS && audited > 0 === passages > CHAPTERS, 'an addition has its row in the audit log');
  return passages - CHAPTERS;
}

test('references under kill -9', async () => {
  const folder = temporaryFolder();
  const [dataDir, config] = [join(folder, 'data'), join(folder, 'config.toml')];
  writeFileSync(config, '[ai]\nopen = true\n');
  const begin = () => start(dataDir, ['--config', config], {});
  const versions: Versions = { answered: 0, sent: 0 };
  let server = await begin();
  // A test that fails must not leave a server behind; one that has ended does not mind.
  const kill = () => void server.child.kill('SIGKILL');
  process.on('exit', kill);
  test.after(kill);
  for (let round = 0; round < ROUNDS; round++) {
    const documents = await Promise.all(Array.from({ length: MOST }, (_, index) => document(versions.sent + 1 + index)));
    const adding = addOn(server, versions, documents);
    adding.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, Math.random() * KILL_WITHIN_MS));
    process.kill(serverPid(server), 'SIGKILL');
    await adding;
    await exitOf(server.child);
    const version = await versionIn(join(dataDir, 'gatehouse.db'));
    assert.ok([versions.answered, versions.sent].includes(version), `${version} is there, ${versions.answered} was answered, ${versions.sent} was sent`);
    server = await begin();
    assert.deepEqual((await server.ask('GET', '/documentary_bases')).body, { documentary_bases: { documents: version === 0 ? [] : ['book'] } });
    const { body } = await post(server, '/rag_predict', { db: 'documents', query: 'Which edition?', sources: 'true', limit: '50' });
    const texts = new Set((body.sources as { text: string }[]).map(({ text }) => text));
    assert.deepEqual([...texts], version === 0 ? [] : [`Edition number${version} has this sentence.`]);
    versions.answered = version;
    versions.sent = Math.max(versions.sent, version);
  }
  console.log(`${versions.sent} additions, ${ROUNDS} kills`);
  process.off('exit', kill);
  server.child.kill('SIGTERM');
  assert.equal(await exitOf(server.child), 0);
  rmSync(folder, { recursive: true });
});

test.run();
