// A server that uses a key which is wrapped by one on a token, run by its own process so that the messages of all its threads are recorded.
import assert from 'node:assert/strict';
import { bytes, done, identifier, kmip, startHsmServer } from './hsm-server.ts';
import { keyWrapped, storeClear, storeWrapped } from './wrapped-key.ts';

const [, , wrapping = '', hidden = '', encoded = ''] = process.argv;
const server = await startHsmServer({ more: 'threads = 2', tables: () => '[keys]\nplacement = "own"' });
const by = `${server.prefix}wrapping`;
const kek = Buffer.from(wrapping, 'hex');
await storeClear(server.admin, by, kek);
const algorithm = { algorithm: 'AES', bits: 256, by };
await storeWrapped(server.admin, 'hidden', { ...algorithm, data: keyWrapped(kek, Buffer.from(hidden, 'hex')) });
// A KeyValue with KeyMaterial, which no token knows.
const encodedValue = Buffer.from(`42004501000000284200430800000020${encoded}`, 'hex');
await storeWrapped(server.admin, 'encoded', { ...algorithm, data: keyWrapped(kek, encodedValue), encoding: 'TTLVEncoding' });
for (const id of ['hidden', 'encoded']) {
  const data = bytes('Data', Buffer.from('a secret'));
  const made = await done(kmip(server.admin, 'Encrypt', identifier(id), data));
  const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, made[tag] as string));
  assert.equal((await done(kmip(server.admin, 'Decrypt', identifier(id), ...members)))['Data'], Buffer.from('a secret').toString('hex').toUpperCase());
}
await server.end();
