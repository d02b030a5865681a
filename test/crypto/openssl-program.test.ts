// The same things by the openssl program, another release of the library: what node:crypto cannot do and we do by hand.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createDecipheriv, createHash, generateKeyPairSync, type KeyObject, privateDecrypt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import { decrypt, encrypt } from '../../crypto/cipher/asymmetric-encrypt.ts';
import { generatePair } from '../../crypto/key/key-pair.ts';
import { sign, verify } from '../../crypto/signature/sign.ts';

const data = Buffer.from('The quick brown fox');
const rsa = generatePair('RSA');

function openssl(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync('openssl', args, { encoding: 'utf8', timeout: 30_000 });
  assert.equal(status, 0, `openssl ${args.join(' ')}: ${stdout}${stderr}`);
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.log('skipped: the openssl program is not here');

function inFolder(pair: { privateKey: KeyObject; publicKey: KeyObject }, work: (at: (name: string) => string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-openssl-'));
  const at = (name: string) => join(folder, name);
  try {
    writeFileSync(at('key'), pair.privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    writeFileSync(at('pub'), pair.publicKey.export({ format: 'pem', type: 'spki' }));
    writeFileSync(at('data'), data);
    work(at);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (hasOpenssl)
  test('PSS with a mask hash of its own, over data and digests, and moduli of odd lengths', () => {
    for (const modulusLength of [2048, 1023, 1025, 1026, 1031]) {
      const pair = generateKeyPairSync('rsa', { modulusLength });
      inFolder(pair, (at) => {
        const options = ['-pkeyopt', 'digest:sha256', '-pkeyopt', 'rsa_padding_mode:pss', '-pkeyopt', 'rsa_mgf1_md:sha1', '-pkeyopt', 'rsa_pss_saltlen:17'];
        const parameters = { paddingMethod: 'PSS', hashingAlgorithm: 'SHA_256', maskGeneratorHashingAlgorithm: 'SHA_1', saltLength: 17 } as const;
        writeFileSync(at('digest'), createHash('sha256').update(data).digest());
        writeFileSync(at('signature'), sign(pair.privateKey, parameters, { data }));
        openssl('pkeyutl', '-verify', '-pubin', '-inkey', at('pub'), '-in', at('digest'), '-sigfile', at('signature'), ...options);
        openssl('pkeyutl', '-sign', '-inkey', at('key'), '-in', at('digest'), '-out', at('theirs'), ...options);
        assert.ok(verify(pair.publicKey, parameters, { data }, readFileSync(at('theirs'))));
        assert.ok(verify(pair.publicKey, parameters, { digest: readFileSync(at('digest')) }, readFileSync(at('theirs'))));
        assert.equal(verify(pair.publicKey, { ...parameters, maskGeneratorHashingAlgorithm: 'SHA_512' }, { data }, readFileSync(at('theirs'))), false);
      });
    }
  });

if (hasOpenssl)
  test('OAEP with a mask hash of its own and a label', () => {
    inFolder(rsa, (at) => {
      const options = [
        '-pkeyopt',
        'rsa_padding_mode:oaep',
        '-pkeyopt',
        'rsa_oaep_md:sha384',
        '-pkeyopt',
        'rsa_mgf1_md:sha1',
        '-pkeyopt',
        `rsa_oaep_label:${Buffer.from('label').toString('hex')}`,
      ];
      const parameters = { paddingMethod: 'OAEP', hashingAlgorithm: 'SHA_384', maskGeneratorHashingAlgorithm: 'SHA_1', pSource: Buffer.from('label') } as const;
      writeFileSync(at('ours'), encrypt(rsa.publicKey, parameters, data));
      openssl('pkeyutl', '-decrypt', '-inkey', at('key'), '-in', at('ours'), '-out', at('opened'), ...options);
      assert.deepEqual(readFileSync(at('opened')), data);
      openssl('pkeyutl', '-encrypt', '-pubin', '-inkey', at('pub'), '-in', at('data'), '-out', at('theirs'), ...options);
      assert.deepEqual(decrypt(rsa.privateKey, parameters, readFileSync(at('theirs'))), data);
    });
  });

if (hasOpenssl)
  test('ECDSA over a digest', () => {
    for (const curve of ['P_256', 'P_521', 'SECP256K1'] as const) {
      const pair = generatePair('ECDSA', { curve });
      inFolder(pair, (at) => {
        const digest = createHash('sha384').update(data).digest();
        writeFileSync(at('digest'), digest);
        writeFileSync(at('signature'), sign(pair.privateKey, {}, { digest }));
        openssl('pkeyutl', '-verify', '-pubin', '-inkey', at('pub'), '-in', at('digest'), '-sigfile', at('signature'));
        openssl('pkeyutl', '-sign', '-inkey', at('key'), '-in', at('digest'), '-out', at('theirs'));
        assert.ok(verify(pair.publicKey, {}, { digest }, readFileSync(at('theirs'))));
        assert.ok(verify(pair.publicKey, { hashingAlgorithm: 'SHA_384' }, { data }, readFileSync(at('theirs'))));
      });
    }
  });

test('the RSA-AES key wrap is an AES-256 key in OAEP, then RFC 5649', () => {
  const wrapped = Buffer.from(encrypt(rsa.publicKey, { paddingMethod: 'None', hashingAlgorithm: 'SHA_1' }, data));
  const key = privateDecrypt({ key: rsa.privateKey, oaepHash: 'sha1' }, wrapped.subarray(0, 256));
  assert.equal(key.length, 32);
  const decipher = createDecipheriv('id-aes256-wrap-pad', key, Buffer.from('a65959a6', 'hex'));
  assert.deepEqual(Buffer.concat([decipher.update(wrapped.subarray(256)), decipher.final()]), data);
});

test.run();
