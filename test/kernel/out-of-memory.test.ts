// Memory that the system refuses, by errors as they come from where it is asked for: they are answered with 503, not as internal errors.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { hashSync } from '@node-rs/argon2';
import { test } from 'uvu';
import { asFault } from '../../kernel/fault.ts';

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('there was memory enough');
}

const ROOM = 16 * 2 ** 20;
const LARGE_KIB = 256 * 1024;

/** Runs the work with little more of the address space than the process has. */
function limited<T>(work: () => T): T {
  const size = 1024 * Number(/^VmSize:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  const limit = (soft: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--as=${soft}:`]);
  limit(String(size + ROOM));
  try {
    return work();
  } finally {
    limit('unlimited');
  }
}

if (process.platform === 'linux')
  test('Argon2, buffers and SQLite', () => {
    const db = new DatabaseSync(':memory:');
    const works = [
      () => hashSync('a password', { memoryCost: LARGE_KIB, timeCost: 1, parallelism: 1 }),
      () => new ArrayBuffer(LARGE_KIB * 1024),
      () => db.prepare('SELECT length(hex(zeroblob(200000000))) AS n').get(),
    ];
    for (const error of works.map((work) => limited(() => errorOf(work)))) {
      const { code, detail } = asFault(error);
      assert.deepEqual([code, detail], ['OVERLOADED', 'the system gives this server no more memory now'], String(error));
    }
  });

test('other errors, also of the same kinds, are internal ones', () => {
  for (const work of [() => new Array(-1), () => JSON.parse('{'), () => new DatabaseSync(':memory:').exec('SELECT nothing FROM nowhere')])
    assert.equal(asFault(errorOf(work)).code, 'INTERNAL');
});

test.run();
