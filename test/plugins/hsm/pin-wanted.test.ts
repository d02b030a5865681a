// Keys for each use of which a token wants its PIN, as cards have them: the server sends it each time, and what others do on the slot goes on.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { skipWithout } from '../../system.ts';
import {
  boolean,
  bytes,
  done,
  enumeration,
  type HsmServer,
  identifier,
  type Json,
  kmip,
  makeSecret,
  PIN,
  parameters,
  refused,
  startHsmServer,
} from './hsm-server.ts';

let server: HsmServer;
const id = (name: string) => server.prefix + name;

/** A pair of another tool. The numbers are those of PKCS #11: 0x202 is CKA_ALWAYS_AUTHENTICATE. @param of the public key, beside its name */
const pair = (name: string, mechanism: string, of: string) =>
  server.hsm.tool(
    server.slot,
    `p.C_GenerateKeyPair(s, { mechanism: ${mechanism} }, [...named('${name}'), { type: 0x10a, value: true }, { type: 0x104, value: true }, ${of}],
      [...named('${name}'), ...[2, 0x103, 0x105, 0x108, 0x10c, 0x202].map((type) => ({ type, value: true }))]) && true`,
  );
const ec = (name: string) => pair(name, '0x1040', "{ type: 0x180, value: Buffer.from('06082a8648ce3d030107', 'hex') }, { type: 0x10c, value: true }");

const DATA = bytes('Data', 'AB');
const sign = (name: string, ...more: Json[]) => kmip(server.admin, 'Sign', identifier(id(name)), ...more);
const isValid = async (name: string, signature: string) =>
  (await done(kmip(server.admin, 'SignatureVerify', identifier(id(`${name}_pk`)), DATA, bytes('SignatureData', signature))))['ValidityIndicator'] === 'Valid';

async function signs(name: string): Promise<void> {
  const { SignatureData: whole = '' } = await done(sign(name, DATA));
  assert.ok(await isValid(name, whole), `${name} whole`);
  const { CorrelationValue: value = '' } = await done(sign(name, boolean('InitIndicator', true)));
  const { SignatureData: inParts = '' } = await done(sign(name, DATA, bytes('CorrelationValue', value), boolean('FinalIndicator', true)));
  assert.ok(await isValid(name, inParts), `${name} in parts`);
}

async function decrypts(padding: string): Promise<void> {
  const how = parameters(enumeration('PaddingMethod', padding), enumeration('HashingAlgorithm', 'SHA_1'));
  const { Data: sealed = '' } = await done(kmip(server.admin, 'Encrypt', identifier(id('rsa_pk')), how, DATA));
  const { Data: opened } = await done(kmip(server.admin, 'Decrypt', identifier(id('rsa')), how, bytes('Data', sealed)));
  assert.equal(opened, 'AB', padding);
}

const isAccessible = async () => (await server.admin('GET', '/hsm/status')).body[0].slots.every(({ accessible }: { accessible: boolean }) => accessible);

if (!skipWithout('softhsm2')) {
  for (const more of ['', 'threads = 2', 'isolation = "process"'])
    test(`keys that their token wants the PIN for each time are used, beside others: ${more || 'in a thread'}`, async () => {
      server = await startHsmServer({ more });
      try {
        ec('ec');
        pair('rsa', '0x0', "{ type: 0x121, value: 2048 }, { type: 0x122, value: Buffer.from('010001', 'hex') }");
        await done(makeSecret(server.admin, id('other')));
        const other = [identifier(id('other')), bytes('Data', 'CD')];
        const begun = await done(kmip(server.admin, 'Encrypt', ...other, boolean('InitIndicator', true)));
        await decrypts('OAEP');
        for (const name of ['ec', 'rsa', 'ec']) await signs(name);
        await decrypts('PKCS1v1.5');
        await Promise.all(['ec', 'rsa', 'ec', 'rsa'].map(signs));
        // A key that wants nothing takes the place of one that does.
        server.hsm.tool(server.slot, "destroy(3, 'ec') + destroy(2, 'ec') + pair('ec')");
        await done(sign('ec', DATA));
        await done(sign('ec', DATA));
        await done(kmip(server.admin, 'Encrypt', ...other, bytes('CorrelationValue', begun['CorrelationValue'] as string), boolean('FinalIndicator', true)));
        assert.ok(await isAccessible());
      } finally {
        await server.end();
      }
    });

  for (const name of ['first in parts', 'first by a digest'])
    test(`a use in parts that is the first of such a key: ${name}`, async () => {
      server = await startHsmServer();
      try {
        ec('ec');
        const rsa = "{ type: 0x121, value: 2048 }, { type: 0x122, value: Buffer.from('010001', 'hex') }";
        pair('rsa', '0x0', rsa);
        const key = name === 'first in parts' ? 'rsa' : 'ec';
        const { CorrelationValue: value = '' } = await done(sign(key, boolean('InitIndicator', true)));
        const { SignatureData: signature = '' } = await done(sign(key, DATA, bytes('CorrelationValue', value), boolean('FinalIndicator', true)));
        assert.ok(await isValid(key, signature));
      } finally {
        await server.end();
      }
    });

  test('a PIN that is refused for such a use is told, and other keys are used; another in its file is sent', async () => {
    server = await startHsmServer({ hasPinFile: true });
    try {
      ec('ec');
      await done(makeSecret(server.admin, id('other')));
      await done(sign('ec', DATA));
      const file = join(server.hsm.folder, 'pin');
      writeFileSync(file, '87654321');
      for (let time = 0; time < 2; time++) await refused(sign('ec', DATA), /^General_Failure: the token refuses CKM_ECDSA: CKR_PIN_INCORRECT$/);
      await done(kmip(server.admin, 'Encrypt', identifier(id('other')), DATA));
      rmSync(file);
      await refused(
        sign('ec', DATA),
        /^General_Failure: slot \d+ of hsm::soft_hsm is not accessible: the token wants its PIN for each use of the key ec: .*cannot be read/,
      );
      writeFileSync(file, PIN);
      await signs('ec');
      assert.ok(await isAccessible());
    } finally {
      await server.end();
    }
  });
  test.run();
}
