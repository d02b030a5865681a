// What is read of a PEM file: all that OpenSSL takes for a certificate, and in memory that can be given to another thread, whole and alone.
import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { context, element, namedBits, sequence } from '../../crypto/der.ts';
import { blocksIn, readPem } from '../../kernel/pem.ts';
import { inspectPayload } from '../../kernel/runtime/channel/bytes.ts';
import { makeCertificate, revocationList, SERVER_AUTH } from '../certificates.ts';
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

test('a certificate may have any label that OpenSSL takes, among blocks of other kinds', async () => {
  const { cert, key } = await makeCertificate('CN=server', { usage: SERVER_AUTH });
  const labelled = (label: string) => cert.replaceAll('CERTIFICATE', label);
  const path = join(temporaryFolder(), 'all.pem');
  writeFileSync(
    path,
    `a note\n${key}\n${['CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE'].map(labelled).join('\n')}\n${labelled('ATTRIBUTE CERTIFICATE')}`,
  );
  const text = String(readPem(path, 'certificate', assert.fail));
  assert.deepEqual(
    blocksIn(text, 'certificate').map((block) => new X509Certificate(block).subject),
    ['CN=server', 'CN=server', 'CN=server'],
  );
  assert.equal(blocksIn(text, 'privateKey').length, 1);
  assert.deepEqual(blocksIn(text, 'revocationList'), []);
});

test('a key with a passphrase is told as such, in both forms: OpenSSL says that reading was cancelled', () => {
  const path = join(temporaryFolder(), 'locked.pem');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  for (const type of ['pkcs8', 'pkcs1'] as const) {
    writeFileSync(path, privateKey.export({ type, format: 'pem', cipher: 'aes-128-cbc', passphrase: 'secret' }));
    const problems: string[] = [];
    assert.equal(
      readPem(path, 'privateKey', (problem) => problems.push(problem)),
      undefined,
    );
    assert.deepEqual(problems, [
      `${path} cannot be used: its private key has a passphrase, which nothing here can ask for: write the key without one (openssl pkey -in FILE -out NEW)`,
    ]);
  }
});

test('a revocation list of changes alone is refused, critical or not, also behind a whole one', async () => {
  const ca = await makeCertificate('CN=ca');
  const path = join(temporaryFolder(), 'lists.pem');
  const problemsOf = (text: string) => {
    const problems: string[] = [];
    writeFileSync(path, text);
    readPem(path, 'revocationList', (problem) => problems.push(problem));
    return problems;
  };
  const extension = (type: string, isCritical: boolean) => ({ type, isCritical, value: Uint8Array.of(2, 1, 1) });
  const whole = await revocationList(ca, [ca], [extension('2.5.29.20', false)]);
  assert.deepEqual(problemsOf(whole), []);
  for (const isCritical of [true, false]) {
    const delta = await revocationList(ca, [ca], [extension('2.5.29.20', false), extension('2.5.29.27', isCritical)]);
    assert.deepEqual(problemsOf(delta), [`${path} cannot be used: its revocation list is a delta list, which names only changes: give the complete list`]);
    assert.match(problemsOf(`${whole}\n${delta}`)[0] ?? '', /revocation list 2 of 2 is a delta list/);
  }
});

test('a revocation list whose scope OpenSSL does not serve is refused, others with a scope are taken', async () => {
  const ca = await makeCertificate('CN=authority');
  const path = join(temporaryFolder(), 'crl.pem');
  const problemsOf = async (...members: readonly Uint8Array[]) => {
    const value = sequence(...members);
    writeFileSync(path, await revocationList(ca, [ca], [{ type: '2.5.29.28', isCritical: true, value: Buffer.from(value) }]));
    const problems: string[] = [];
    readPem(path, 'revocationList', (problem) => problems.push(problem));
    return problems.join();
  };
  const users = element(0x81, Buffer.of(0xff));
  const point = context(0, context(0, element(0x86, Buffer.from(`http://ca.example/${'a'.repeat(200)}.crl`))));
  for (const members of [[users], [element(0x82, Buffer.of(0xff))], [point], [point, users]]) assert.equal(await problemsOf(...members), '');
  // OpenSSL does not look into it before it has to.
  assert.equal(await problemsOf(Buffer.of(0xa0, 0x84, 0xff)), '');
  for (const [member, says] of [
    [namedBits(0x83, [1]), 'is for some reasons of revocation only'],
    [element(0x84, Buffer.of(0xff)), 'is an indirect one, which also names certificates of other authorities'],
    [element(0x85, Buffer.of(0xff)), 'is for attribute certificates only'],
  ] as const)
    assert.equal(await problemsOf(point, member), `${path} cannot be used: its revocation list ${says}: give the complete list of one authority`);
});

test.run();
