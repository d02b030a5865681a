// Native packages in threads: ending a thread while one of their calls runs must end the call and not the process.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { test } from 'uvu';
import { createSoftHsm } from '../softhsm.ts';
import { SOFTHSM_LIBRARY, skipWithout } from '../system.ts';

const PROGRAM = new URL('../fakes/native-program.ts', import.meta.url);
const TRIES = 6;

/** Runs the program in a process of its own. @returns its exit code, or the signal that ended it */
function run(subject: string, death: string, argument = ''): Promise<number | string> {
  return new Promise((resolve) => {
    const child = fork(PROGRAM, [subject, death, argument], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('exit', (code, signal) => resolve(signal ?? (code as number)));
  });
}

for (const subject of ['node:sqlite', '@node-rs/argon2']) {
  for (const death of ['terminate', 'uncaught']) {
    test(`${subject}: ${death} during a call, ${TRIES} times, leaves the process alive`, async () => {
      for (let tried = 0; tried < TRIES; tried++) assert.equal(await run(subject, death), 0);
    });
  }
}

for (const death of ['terminate', 'uncaught']) {
  test(`pkcs11js: ${death} during a call, ${TRIES} times, leaves the process alive`, async () => {
    if (skipWithout('softhsm2')) return;
    const hsm = createSoftHsm();
    hsm.addToken('native', '12345678');
    for (let tried = 0; tried < TRIES; tried++) assert.equal(await run('pkcs11js', death, SOFTHSM_LIBRARY), 0);
    hsm.end();
  });
}

test.run();
