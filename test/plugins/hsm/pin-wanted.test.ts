// Keys for each use of which a token wants its PIN, as cards have them: a use is refused as such, and what others do on the slot goes on.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { skipWithout } from '../../system.ts';
import { boolean, bytes, done, enumeration, type HsmServer, identifier, kmip, makeSecret, parameters, refused, startHsmServer } from './hsm-server.ts';

let server: HsmServer;
const id = (name: string) => server.prefix + name;
const WANTED = /^Unsupported_Cryptographic_Parameters: the token wants its PIN for each use of the key (ec|rsa) \(CKA_ALWAYS_AUTHENTICATE\)/;

/** A pair of another tool. The numbers are those of PKCS #11: 0x202 is CKA_ALWAYS_AUTHENTICATE. @param of the public key, beside its name */
const pair = (name: string, mechanism: string, of: string) =>
  server.hsm.tool(
    server.slot,
    `p.C_GenerateKeyPair(s, { mechanism: ${mechanism} }, [...named('${name}'), { type: 0x10a, value: true }, { type: 0x104, value: true }, ${of}],
      [...named('${name}'), ...[2, 0x103, 0x105, 0x108, 0x202].map((type) => ({ type, value: true }))]) && true`,
  );

const sign = (name: string, ...more: Parameters<typeof parameters>) => kmip(server.admin, 'Sign', identifier(id(name)), bytes('Data', 'AB'), ...more);

if (!skipWithout('softhsm2')) {
  for (const more of ['', 'threads = 2', 'isolation = "process"'])
    test(`a key that its token wants the PIN for each time ends nothing of others: ${more || 'in a thread'}`, async () => {
      server = await startHsmServer({ more });
      try {
        pair('ec', '0x1040', "{ type: 0x180, value: Buffer.from('06082a8648ce3d030107', 'hex') }");
        pair('rsa', '0x0', "{ type: 0x121, value: 2048 }, { type: 0x122, value: Buffer.from('010001', 'hex') }");
        await done(makeSecret(server.admin, id('other')));
        const other = [identifier(id('other')), bytes('Data', 'CD')];
        const begun = await done(kmip(server.admin, 'Encrypt', ...other, boolean('InitIndicator', true)));
        for (const name of ['ec', 'rsa']) for (let time = 0; time < 3; time++) await refused(sign(name), WANTED);
        for (const padding of ['PKCS1v1.5', 'OAEP']) {
          const how = parameters(enumeration('PaddingMethod', padding), enumeration('HashingAlgorithm', 'SHA_1'));
          await refused(kmip(server.admin, 'Decrypt', identifier(id('rsa')), how, bytes('Data', '11'.repeat(256))), WANTED);
        }
        await refused(sign('rsa', boolean('InitIndicator', true)), WANTED);
        const { CorrelationValue: digested = '' } = await done(sign('ec', boolean('InitIndicator', true)));
        await refused(sign('ec', bytes('CorrelationValue', digested), boolean('FinalIndicator', true)), WANTED);
        const told = await server.admin('POST', '/v1/crypto/sign', { body: { kid: id('ec'), alg: 'ES256', data: 'qw' } });
        assert.deepEqual([told.status, told.body.error], [422, 'unsupported_algorithm']);
        await done(kmip(server.admin, 'Encrypt', ...other, bytes('CorrelationValue', begun['CorrelationValue'] as string), boolean('FinalIndicator', true)));
        const [{ slots }] = (await server.admin('GET', '/hsm/status')).body;
        assert.deepEqual(
          slots.map(({ accessible }: { accessible: boolean }) => accessible),
          [true],
        );
      } finally {
        await server.end();
      }
    });
  test.run();
}
