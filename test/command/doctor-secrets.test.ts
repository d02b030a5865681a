// `gatehouse doctor` on files of secrets that the configuration names: those that every user of the machine can use are pointed out.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { examine } from '../../command/doctor/doctor.ts';
import { makeCertificate } from '../certificates.ts';
import { temporaryFolder } from '../server.ts';

const home = temporaryFolder();
/** Of each kind one: of a section, of an element of a list, and a path that is no secret to the configuration. */
const CONFIG = `
[store]
root_key = { file = "secrets/root" }
[[ai.models]]
id = "elsewhere"
task = "answer"
engine = "http"
url = "https://127.0.0.1:1/v1"
model = "any"
api_key = { file = "secrets/token" }
[http.tls]
cert = "secrets/cert.pem"
key = "secrets/key.pem"
`;
const FILES = ['root', 'token', 'key.pem'];

test.before(async () => {
  const { cert, key } = await makeCertificate('CN=server');
  mkdirSync(join(home, 'secrets'), { recursive: true });
  const contents = { root: 'ab'.repeat(32), token: 'a token', 'cert.pem': cert, 'key.pem': key };
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(home, 'secrets', name), text);
  writeFileSync(join(home, 'config.toml'), CONFIG);
});
test.after(() => rmSync(home, { recursive: true }));

/** What is said of these files when they have a mode, in the order of their keys. */
async function told(mode: number): Promise<string[]> {
  for (const name of FILES) chmodSync(join(home, 'secrets', name), mode);
  const findings = await examine({ config: join(home, 'config.toml'), dataDir: join(home, 'data') }, {}, Date.now());
  return findings.flatMap(({ state, about, says, advice }) => (/every user/.test(says) ? `${state} ${about}: ${says} ${advice}` : [])).sort();
}

test('files of secrets that every user can read are warned of, each by its key', async () => {
  const warnings = await told(0o644);
  assert.equal(warnings.length, FILES.length, warnings.join('\n'));
  for (const [at, key] of ['ai.models[0].api_key', 'http.tls.key', 'store.root_key'].entries())
    assert.ok(warnings[at]?.startsWith(`warning ${key}: every user of this machine can use ${join(home, 'secrets')}`), warnings[at]);
  assert.match(warnings[0] as string, /\(mode 644\) chmod o= .*token/);
});

test('those that the owner or a group alone can read are not', async () => {
  for (const mode of [0o600, 0o640, 0o440]) {
    const findings = await told(mode);
    assert.equal(findings.length, FILES.length);
    for (const each of findings) assert.match(each, /^ok .* is not for every user/, mode.toString(8));
  }
});

test.run();
