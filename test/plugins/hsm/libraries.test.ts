// Several PKCS#11 libraries in one server at the same time: SoftHSM, openCryptoki, NSS and a TPM, each of its model, with keys on each.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { SecureServer } from '../../secure-server.ts';
import { startSecureServer } from '../../secure-server.ts';
import type { Ask } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { nssToken, openCryptokiToken, softHsmToken, type TestToken, tpmToken } from '../../tokens.ts';
import { bytes, done, enumeration, identifier, integer, kmip, makePair, makeSecret, parameters, refused } from './hsm-server.ts';

const ADMIN = 'hsm-admin@acme.com';
const DATA = Buffer.from('sixteen bytes!!!');

interface Installed {
  readonly model: string;
  readonly token: TestToken;
  /** The mode of AES that the token has; a TPM makes no secret keys. */
  readonly mode: string | undefined;
}

/** What cannot run here is skipped by its name. */
async function installed(): Promise<Installed[]> {
  const found: Installed[] = [];
  const add = (model: string, mode: string | undefined, token: TestToken | undefined) => token && found.push({ model, mode, token });
  if (!skipWithout('softhsm2')) add('soft_hsm', 'GCM', softHsmToken());
  if (!skipWithout('opencryptoki')) add('other', 'CBC', await openCryptokiToken());
  if (!skipWithout('libnss3-tools')) {
    const token = nssToken();
    Object.assign(process.env, token.env);
    add('nss', 'GCM', token);
  }
  if (!['libtpm2-pkcs11-1', 'libtss2-tcti-tabrmd0', 'tpm2-abrmd', 'dbus-daemon', 'swtpm'].some(skipWithout)) add('tpm2', undefined, await tpmToken());
  return found;
}

const tableOf = ({ model, token: { slot, pin, library } }: Installed): string =>
  `[[hsm_instances]]\nhsm_model = "${model}"\n${model === 'other' ? `library = "${library}"\n` : ''}hsm_admin = ["${ADMIN}"]\nhsm_slot = [${slot}]\nhsm_password = ["${pin}"]\n`;

let tokens: Installed[] = [];
let server: SecureServer;
let admin: Ask;

test.before(async () => {
  tokens = await installed();
  server = await startSecureServer({ config: tokens.map(tableOf).join('\n') });
  admin = await server.as(await server.client(ADMIN));
});
test.after(async () => {
  await server.end();
  for (const { token } of tokens) await token.end();
});

test('each token makes a pair that signs, and the signature verifies elsewhere', async () => {
  for (const { model, token } of tokens) {
    const id = `hsm::${model}::${token.slot}::signing`;
    await done(makePair(admin, id, enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)));
    const { SignatureData: signature = '' } = await done(kmip(admin, 'Sign', identifier(id), bytes('Data', DATA)));
    const verdict = await done(kmip(admin, 'SignatureVerify', identifier(`${id}_pk`), bytes('Data', DATA), bytes('SignatureData', signature)));
    assert.equal(verdict['ValidityIndicator'], 'Valid', model);
  }
});

test('each token encrypts with the mode that it reports, all at the same time', async () => {
  const round = async ({ model, token, mode }: Installed) => {
    if (mode === undefined) return;
    const id = `hsm::${model}::${token.slot}::aes`;
    await done(makeSecret(admin, id));
    const how = parameters(enumeration('BlockCipherMode', mode));
    const sealed = await done(kmip(admin, 'Encrypt', identifier(id), how, bytes('Data', DATA)));
    const more = ['IVCounterNonce', 'AuthenticatedEncryptionTag'].flatMap((tag) => (sealed[tag] === undefined ? [] : [bytes(tag, sealed[tag])]));
    const opened = await done(kmip(admin, 'Decrypt', identifier(id), how, bytes('Data', sealed['Data'] as string), ...more));
    assert.equal(opened['Data'], DATA.toString('hex').toUpperCase(), model);
    await done(kmip(admin, 'Destroy', identifier(id)));
  };
  await Promise.all(tokens.map(round));
});

test('a TPM seals nothing by OAEP that it does not open', async () => {
  const tpm = tokens.find(({ model }) => model === 'tpm2');
  if (!tpm) return;
  const at = `hsm::tpm2::${tpm.token.slot}::`;
  const oaep = (...more: Parameters<typeof parameters>) =>
    parameters(enumeration('PaddingMethod', 'OAEP'), enumeration('HashingAlgorithm', 'SHA_256'), ...more);
  const seal = (...more: Parameters<typeof parameters>) => kmip(admin, 'Encrypt', identifier(`${at}signing_pk`), oaep(...more), bytes('Data', DATA));
  const open = (data: string, ...more: Parameters<typeof parameters>) => kmip(admin, 'Decrypt', identifier(`${at}signing`), oaep(...more), bytes('Data', data));
  await refused(seal(bytes('PSource', '4142')), /CKM_RSA_PKCS_OAEP with a label \(PSource\) that does not end with a zero byte$/);
  await refused(seal(enumeration('MaskGeneratorHashingAlgorithm', 'SHA_1')), /CKM_RSA_PKCS_OAEP with sha256, and a mask \(MGF1\) with sha1$/);
  const { Data: sealed = '' } = await done(seal(bytes('PSource', '414200')));
  assert.equal((await done(open(sealed, bytes('PSource', '414200'))))['Data'], DATA.toString('hex').toUpperCase());
  await refused(open(sealed, bytes('PSource', '414300')), /^Cryptographic_Failure/);
});

test('all of them are accessible', async () => {
  const { body } = await admin('GET', '/hsm/status');
  assert.deepEqual(
    (body as { model: string; slots: { accessible: boolean }[] }[]).map(({ model, slots }) => [model, slots[0]?.accessible]),
    tokens.map(({ model }) => [model, true]),
  );
});

test.run();
