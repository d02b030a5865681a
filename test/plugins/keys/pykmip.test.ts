// PyKMIP as Debian has it, unmodified, against the listener: what it does in each of its versions, and what comes of it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { test } from 'uvu';
import { judge, type Line, MESSAGE, stepsOf, VERSIONS } from '../../foreign/pykmip/steps.ts';
import { startListening, visit } from '../../foreign/pykmip/visit.ts';
import type { SecureServer } from '../../secure-server.ts';
import { PYTHON, skipWithout } from '../../system.ts';

const IV = Buffer.from(Array.from({ length: 16 }, (_, index) => index));

/** What keeps PyKMIP from working at all with the Python that is here. */
function tooNew(): string | undefined {
  const { status, stderr } = spawnSync(PYTHON, ['-c', 'import ssl; ssl.wrap_socket; from kmip.pie import client'], { encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim().split('\n').at(-1);
}

if (skipWithout('python3-pykmip')) test.skip('PyKMIP');
else {
  const reason = tooNew();
  if (reason !== undefined) {
    console.log(`skipped: pykmip.test.ts: PyKMIP does not work with the Python that is here: ${reason}`);
    test.skip('PyKMIP');
  } else addTests();
}

function addTests(): void {
  let server: SecureServer;
  let lines: Line[];
  test.before(async () => {
    server = await startListening();
    lines = await visit(server, PYTHON);
  });
  test.after(() => server?.end());

  for (const version of VERSIONS) {
    test(`KMIP ${version}: everything that PyKMIP has`, () => {
      const wanted = stepsOf(version);
      for (const step of wanted) judge(lines, version, step);
      const own = lines.filter((line) => line.version === version);
      assert.deepEqual(own.map(({ step }) => step).sort(), wanted.map(([step]) => step).sort());
    });
  }

  test('what PyKMIP had encrypted is what AES makes of it under the key it got', () => {
    for (const version of VERSIONS.filter((each) => each >= '1.2')) {
      const result = (step: string) => String(lines.find((line) => line.version === version && line.step === step)?.ok);
      const key = Buffer.from(result('Get'), 'hex');
      for (const [mode, iv] of Object.entries({ CBC: IV, ECB: null, CTR: IV })) {
        const cipher = createCipheriv(`aes-256-${mode.toLowerCase()}`, key, iv);
        assert.equal(Buffer.concat([cipher.update(MESSAGE), cipher.final()]).toString('hex'), result(`Encrypt ${mode}`), `${version} ${mode}`);
      }
    }
  });
}

test.run();
