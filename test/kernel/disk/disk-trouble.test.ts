// Full, over-quota and read-only disks, in the same words wherever the server writes: the store, backups, private files, requests and models.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import { throwUnwritable } from '../../../actors/model/hub/hub-error.ts';
import { CommandError, lineOf } from '../../../command/exit.ts';
import { writingFile } from '../../../command/output.ts';
import { writeBackup } from '../../../kernel/backup/write.ts';
import { createClock } from '../../../kernel/clock.ts';
import { diskTrouble, writeFailure } from '../../../kernel/disk/disk-trouble.ts';
import { writePrivateFile } from '../../../kernel/disk/private-file.ts';
import { encodeFault } from '../../../kernel/fault.ts';
import { fileFailure, serverFailure } from '../../../kernel/start/start-failure.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { requireWritable } from '../../../kernel/store/store-url.ts';
import { mountDisk } from '../../disk.ts';
import { temporaryFolder } from '../../server.ts';

const ofNode = (code: string, number: number, syscall = 'write') => Object.assign(new Error(code), { code, errno: -number, syscall });
const ofSqlite = (errcode: number) => Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode });

const SAID: readonly (readonly [Error, string])[] = [
  [ofNode('ENOSPC', constants.errno.ENOSPC), 'the disk is full (ENOSPC)'],
  // As Node has it.
  [ofNode(`Unknown system error -${constants.errno.EDQUOT}`, constants.errno.EDQUOT), 'the quota of the disk is used up (EDQUOT)'],
  [ofNode('EROFS', constants.errno.EROFS, 'open'), 'the disk or the file is read-only (EROFS)'],
  [ofNode('EFBIG', constants.errno.EFBIG), 'the file would be larger than is allowed (EFBIG)'],
  [ofNode('EIO', constants.errno.EIO, 'fsync'), 'the disk reports an error (EIO)'],
  [ofNode('EACCES', constants.errno.EACCES, 'open'), 'this user may not write there (EACCES)'],
  [ofNode('EMFILE', constants.errno.EMFILE, 'open'), 'this process has too many open files (EMFILE)'],
  [ofSqlite(13), 'the disk is full (SQLITE_FULL)'],
  [ofSqlite(8), 'the disk or the file is read-only (SQLITE_READONLY)'],
  // SQLITE_IOERR_WRITE.
  [ofSqlite(778), 'the disk reports an error (SQLITE_IOERR)'],
  [
    ofSqlite(14),
    'the file cannot be opened: a right is missing, this process has too many open files, or the disk has no room for a further file (SQLITE_CANTOPEN)',
  ],
];

test('each trouble has its words, from Node and from SQLite, and goes between threads as what passes', () => {
  for (const [error, says] of SAID) {
    assert.equal(diskTrouble(error), says);
    const { code, detail } = encodeFault(error);
    assert.deepEqual([code, detail], ['UNAVAILABLE', `a file of the server cannot be written now: ${says}`]);
    assert.throws(() => throwUnwritable(error, 'model.onnx'), { message: `model.onnx cannot be written: ${says}; run the command again to go on` });
  }
  for (const other of [
    ofNode('EACCES', constants.errno.EACCES, 'connect'),
    ofNode('ENOENT', constants.errno.ENOENT, 'open'),
    ofSqlite(19),
    new Error('x'),
    undefined,
  ]) {
    assert.equal(diskTrouble(other), undefined);
    assert.equal(encodeFault(other).code, 'INTERNAL');
  }
});

test('a command names the file, or standard output; a missing right may be one of reading', () => {
  const full = ofNode('ENOSPC', constants.errno.ENOSPC);
  const told = writingFile('out', full);
  assert.ok(told instanceof CommandError);
  assert.equal(lineOf(told), 'out cannot be written: the disk is full (ENOSPC)');
  assert.equal(lineOf(full), 'standard output cannot be written: the disk is full (ENOSPC)');
  assert.equal(writeFailure(ofNode('EACCES', constants.errno.EACCES, 'open'), 'in'), undefined);
});

for (const [state, fact] of [
  ['full', /the disk is full \((ENOSPC|SQLITE_FULL)\)/],
  ['read-only', /the disk or the file is read-only \((EROFS|SQLITE_READONLY)\)/],
] as const)
  test(`a ${state} disk under the store, backups and private files`, async () => {
    const folder = temporaryFolder();
    const data = join(folder, 'data');
    mkdirSync(data);
    const disk = mountDisk(data, 1);
    if (!disk) return console.log('skipped: a disk that can be full needs the right to mount a file system');
    try {
      writeFileSync(join(data, 'old.db'), '');
      if (state === 'full') disk.fill();
      else assert.equal(spawnSync('mount', ['-o', 'remount,ro', data]).status, 0);
      const store = openStore(`sqlite:${join(data, 'new.db')}`, { writer: 'test', clock: createClock() }).then((opened) =>
        opened.transaction((tx) => tx.exec('CREATE TABLE a (b TEXT)')),
      );
      await assert.rejects(store, (error) => fact.test(serverFailure(error) ?? ''));
      const old = openStore(`sqlite:${join(data, 'old.db')}`, { writer: 'test', clock: createClock() }).then((opened) =>
        opened.transaction((tx) => tx.exec('CREATE TABLE a (b TEXT)')),
      );
      await assert.rejects(old, (error) => fact.test(serverFailure(error) ?? ''));
      // SQLite says of its log only that it cannot be opened, so a start looks before.
      const looked = () => requireWritable(`sqlite:${join(data, 'old.db')}`);
      if (state === 'full') looked();
      else assert.throws(looked, { name: 'ConfigError', message: /store\.url: .*old\.db is on a disk that is read-only \(EROFS\)/ });
      const rows = async function* () {
        for (let at = 0; at < 99; at++) yield [Buffer.from(crypto.getRandomValues(new Uint8Array(9_999))).toString('base64')];
      };
      const contents = { header: {}, tables: [{ table: 'a', columns: ['b'] }], snapshot: { rows }, dataKey: new Uint8Array(32) };
      await assert.rejects(writeBackup(join(data, 'a.backup'), contents as never), (error: Error) => error.name === 'BackupError' && fact.test(error.message));
      assert.throws(
        () => writePrivateFile(join(data, 'tls.key'), 'k'.repeat(99_999)),
        (error) => fact.test(fileFailure(error) ?? ''),
      );
    } finally {
      disk.end();
      rmSync(folder, { recursive: true, force: true });
    }
  });

test.run();
