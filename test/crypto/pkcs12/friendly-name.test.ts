// The friendly name of a key in a PKCS#12 file is text: what is none is refused, and all else comes back as it was.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import { readPkcs12, writePkcs12 } from '../../../crypto/pkcs12/pkcs12.ts';
import { certify } from '../x509/certify.ts';

const keys = generatePair('EC', { curve: 'P_256' });
const certificate = certify({ subjectPublicKey: keys.publicKey, subject: { CN: ['x'] }, issuerKey: keys.privateKey, notBefore: 0, notAfter: 1 });

async function readBack(friendlyName: string): Promise<string | undefined> {
  const file = await writePkcs12({ privateKey: keys.privateKey, certificates: [certificate], friendlyName }, 'x');
  return (await readPkcs12(file, 'x')).friendlyName;
}

test('a name of any characters comes back', async () => {
  for (const name of ['My Key', 'Schlüssel 日本 🔑', 'a'.repeat(256)]) assert.equal(await readBack(name), name);
});

test('half of a surrogate pair, and a name that is too long, are refused', async () => {
  for (const name of ['a\ud800b', '\udc00', 'a\ud83d', 'a'.repeat(257)]) await assert.rejects(readBack(name), /invalid friendly name/);
});

test.run();
