// HSM models from outside the tree: a file named in config.toml, what a plugin offers, what is wrong with a model, and the platforms of models.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import { definePlugin } from '../../../kernel/plugin.ts';
import { withLibraries, withModels } from '../../../plugins/hsm/config.ts';
import { hsmInstances } from '../../../plugins/hsm/instances.ts';
import { HSM_MODELS } from '../../../plugins/hsm/models.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { canBuild, type FaultLibrary, faultLibrary } from '../../fakes/pkcs11-fault/build.ts';
import { startServer, temporaryFolder } from '../../server.ts';
import { SOFTHSM_LIBRARY, skipWithout } from '../../system.ts';
import { bytes, curve, done, enumeration, identifier, kmip, makePair, makeSecret, parameters, refused, startHsmServer, structure } from './hsm-server.ts';

const DATA = Buffer.from('more than the sixteen bytes that the library takes at a time');
const HEX = DATA.toString('hex').toUpperCase();

const MODEL = {
  ...{ model: 'my_token', about: 'a token of my own', env: ['SOFTHSM2_CONF'], hints: { token: 'plug it in' } },
  libraries: { linux: ['/nowhere/lib.so', SOFTHSM_LIBRARY], darwin: [] },
  quirks: { searchBatch: 1, maxDataBytes: 16, missingMechanisms: ['CKM_AES_CTR'], attributes: { secret: { WRAP: false, SIGN: null } } },
};

/** @returns the path of the module, relative to another temporary folder */
function written(folder: string, text: string): string {
  writeFileSync(join(folder, 'my-model.ts'), text);
  return `../${basename(folder)}/my-model.ts`;
}

if (!skipWithout('softhsm2'))
  test('one file named in config.toml adds a model with its quirks, and its keys sign', async () => {
    const server = await startHsmServer({
      model: 'my_token',
      tables: (folder) => `[[hsm_models]]\nmodule = "${written(folder, `export default ${JSON.stringify(MODEL)};`)}"`,
    });
    const id = (name: string) => server.prefix + name;
    assert.ok(id('key').startsWith('hsm::my_token::'));
    await done(makePair(server.admin, id('signing'), enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')));
    const { SignatureData: signature = '' } = await done(kmip(server.admin, 'Sign', identifier(id('signing')), bytes('Data', DATA)));
    const verdict = await done(kmip(server.admin, 'SignatureVerify', identifier(id('signing_pk')), bytes('Data', DATA), bytes('SignatureData', signature)));
    assert.equal(verdict['ValidityIndicator'], 'Valid');

    await done(makeSecret(server.admin, id('aes')));
    for (const mode of ['GCM', 'CBC']) {
      const how = parameters(enumeration('BlockCipherMode', mode));
      const sealed = await done(kmip(server.admin, 'Encrypt', identifier(id('aes')), how, bytes('Data', DATA)));
      const more = ['IVCounterNonce', 'AuthenticatedEncryptionTag'].flatMap((tag) => (sealed[tag] === undefined ? [] : [bytes(tag, sealed[tag])]));
      const opened = await done(kmip(server.admin, 'Decrypt', identifier(id('aes')), how, bytes('Data', sealed['Data'] as string), ...more));
      assert.equal(opened['Data'], HEX, `${mode} in pieces of 16 bytes`);
    }
    const ctr = parameters(enumeration('BlockCipherMode', 'CTR'));
    await refused(kmip(server.admin, 'Encrypt', identifier(id('aes')), ctr, bytes('Data', DATA)), /the token has no mechanism CKM_AES_CTR$/);
    for (const name of ['foreign', 'foreign too', 'foreign three']) server.hsm.tool(server.slot, `aes('${name}')`);
    const found = await done(kmip(server.admin, 'Locate', structure('Attributes', enumeration('ObjectType', 'SymmetricKey'))));
    assert.deepEqual(found.all('UniqueIdentifier').sort(), ['aes', 'foreign', 'foreign three', 'foreign too'].map(id), 'all of a search by ones');
    assert.deepEqual(server.hsm.tool(server.slot, "flags('aes', [0x106, 0x104])"), [false, true], 'the template of the model');
    await server.end();
  });

if (!skipWithout('softhsm2') && canBuild())
  test('choosesGcmIv: the token gets zeros and its IV is told; one that leaves the zeros encrypts nothing', async () => {
    let library: FaultLibrary | undefined;
    const model = { ...MODEL, quirks: { choosesGcmIv: true } };
    const server = await startHsmServer({
      model: 'my_token',
      more: (folder) => {
        library = faultLibrary(folder, 'zeros');
        return `library = "${library.path}"`;
      },
      tables: (folder) => `[[hsm_models]]\nmodule = "${written(folder, `export default ${JSON.stringify(model)};`)}"`,
    });
    const key = identifier(`${server.prefix}key`);
    const gcm = parameters(enumeration('BlockCipherMode', 'GCM'));
    await done(makeSecret(server.admin, `${server.prefix}key`));
    library?.tell('zero-iv');
    const ivs = new Set<string>();
    for (let round = 0; round < 2; round++) {
      const sealed = await done(kmip(server.admin, 'Encrypt', key, gcm, bytes('Data', DATA)));
      const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, sealed[tag] as string));
      assert.equal((await done(kmip(server.admin, 'Decrypt', key, gcm, ...members)))['Data'], HEX);
      ivs.add(sealed['IVCounterNonce'] as string);
    }
    assert.equal(ivs.size, 2);
    const given = bytes('IVCounterNonce', '0102030405060708090A0B0C');
    await refused(kmip(server.admin, 'Encrypt', key, gcm, given, bytes('Data', DATA)), /the token chooses the IV of CKM_AES_GCM itself: send none$/);
    library?.tell(undefined);
    await refused(
      kmip(server.admin, 'Encrypt', key, gcm, bytes('Data', DATA)),
      /the token has no mechanism CKM_AES_GCM that chooses its IV, which its model says/,
    );
    await server.end();
  });

test('what is wrong with a model is told at the start, in one sentence each', async () => {
  const folder = temporaryFolder();
  const { hints: _, ...plain } = MODEL;
  const cases: readonly [string, RegExp][] = [
    ['throw new Error("broken file");', /hsm_models\[0\]\.module: \S+: cannot be loaded: Error: broken file/],
    ['export const model = 1;', /hsm_models\[0\]\.module: \S+: must have a default export made by defineHsmModel/],
    [`export default { ...${JSON.stringify(plain)}, env: undefined };`, /: model\.env: is missing/],
    [`export default { ...${JSON.stringify(plain)}, color: 'red' };`, /: model\.color: unknown key \(known: model, about, libraries/],
    [`export default { ...${JSON.stringify(plain)}, quirks: { threads: 17 } };`, /: model\.quirks\.threads: must be 16 or less/],
    [`export default { ...${JSON.stringify(plain)}, quirks: { searchBatch: 0 } };`, /: model\.quirks\.searchBatch: must be 1 or more/],
    [`export default { ...${JSON.stringify(plain)}, about: () => 1 };`, /: a model must be plain data, without functions/],
    [`export default { ...${JSON.stringify(plain)}, model: 'soft_hsm' };`, /: the model soft_hsm is already defined by the server; rename it/],
    [
      `export default { ...${JSON.stringify(plain)}, model: 'My-Token' };`,
      /: model\.model: must be 1 to 40 lower-case letters, digits and _, with a letter in front$/m,
    ],
    [
      `export default { ...${JSON.stringify(plain)}, env: ['1X'] };`,
      /: model\.env\[0\]: must be the name of a variable: letters, digits and _, but no digit in front$/m,
    ],
    [
      `export default { ...${JSON.stringify(plain)}, quirks: { attributes: { secret: { CKA_X: 1 } } } };`,
      /: model\.quirks\.attributes\.secret\.CKA_X: must be boolean,null$/m,
    ],
    [`export default { ...${JSON.stringify(plain)}, model: 'token_1' };`, /: model\.model: must not end in _ and digits/],
    [`export default { ...${JSON.stringify(plain)}, quirks: { missingMechanisms: ['CKM_X'] } };`, /: this server uses no mechanism CKM_X/],
    [`export default { ...${JSON.stringify(plain)}, quirks: { attributes: { secret: { COLOR: true } } } };`, /: this server sets no attribute COLOR/],
    [`export default { ...${JSON.stringify(plain)}, initializeText: 'dir={HOME}' };`, /: model\.initializeText: \{HOME\} is not listed in env/],
  ];
  for (const [at, [text, expected]] of cases.entries()) {
    const own = join(folder, String(at));
    mkdirSync(own);
    writeFileSync(join(own, 'model.ts'), text);
    await assert.rejects(startServer({ config: `[[hsm_models]]\nmodule = "${join(own, 'model.ts')}"` }), expected);
  }
  await assert.rejects(startServer({ config: '[[hsm_models]]\nmodule = "./missing.ts"' }), /hsm_models\[0\]\.module: \.\/missing\.ts: cannot be loaded/);
  await assert.rejects(startServer({ config: '[[hsm_models]]\nmodule = "no-such-package"' }), /no-such-package: cannot be loaded/);
});

test('a plugin offers a model; an offer that nobody takes is a problem', async () => {
  const offering = (to: string) => definePlugin({ name: 'mine', config: { type: 'object', default: {} } as never, offers: { [to]: [MODEL] } });
  const instance = '[[hsm_instances]]\nhsm_model = "my_token"\nlibrary = "/nowhere.so"\nhsm_slot = [0]\nhsm_password = ["x"]\n';
  const server = await startServer({ config: instance, plugins: [...BUILT_IN, offering('hsm')] });
  assert.match((await server.ask('GET', '/ready')).text, /hsm::my_token/);
  await server.end();
  await assert.rejects(startServer({ plugins: [...BUILT_IN, offering('hms')] }), /plugin mine: offers\.hms: no plugin hms takes offers; those that do are hsm/);
});

test('on macOS soft_hsm and smartcard_hsm can be used, on Linux all models', () => {
  const config = HSM_MODELS.map(({ model }) => ({
    hsm_model: model,
    hsm_admin: [],
    hsm_slot: [0],
    hsm_password: ['x'],
    library: '/lib.so',
    probe_seconds: 10,
    deadline_seconds: 30,
  }));
  assert.deepEqual(withModels(config, [], 'linux').problems, []);
  const { problems } = withModels(config, [], 'darwin');
  assert.deepEqual(
    problems.map((problem) => /hsm_model: (\w+) works on linux only, not on darwin$/.exec(problem)?.[1]),
    HSM_MODELS.map(({ model }) => model).filter((model) => model !== 'soft_hsm' && model !== 'smartcard_hsm'),
  );
});

test('the path of the library: the configuration, then the variable of the model, then its usual places', () => {
  const [nss] = withModels(
    [{ hsm_model: 'nss', hsm_admin: [], hsm_slot: [2], hsm_password: ['x'], library: '', probe_seconds: 10, deadline_seconds: 30 }],
    [],
  ).config;
  const argsOf = (library: string, env: NodeJS.ProcessEnv) => hsmInstances([{ ...(nss as never as object), library } as never], env)[0]?.args;
  assert.equal(argsOf('/a.so', { NSS_LIBRARY: '/b.so' })?.library, '/a.so');
  assert.equal(argsOf('', { NSS_LIBRARY: '/b.so' })?.library, '/b.so');
  assert.match(argsOf('', { NSS_CONFIG_DIR: '/keys' })?.initializeText ?? '', /^configdir='sql:\/keys' /);
});

test('an administrator is known by the composed form of the name, as callers are', () => {
  const [nss] = withModels(
    [{ hsm_model: 'nss', hsm_admin: ['zoe\u0301', 'r/ada'], hsm_slot: [2], hsm_password: ['x'], library: '/a.so', probe_seconds: 10, deadline_seconds: 30 }],
    [],
  ).config;
  assert.deepEqual(hsmInstances([nss as never], {})[0]?.args.admins, ['zo\u00e9', 'r/ada']);
});

test('a relative path of a library starts from the folder of the configuration', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'beside.so'), '');
  const pathOf = (library: string) => withLibraries([{ library } as never], folder)[0]?.library;
  assert.equal(pathOf('./lib/token.so'), join(folder, 'lib', 'token.so'));
  assert.equal(pathOf('beside.so'), join(folder, 'beside.so'));
  assert.equal(pathOf('libtoken.so'), 'libtoken.so');
  assert.equal(pathOf('/usr/lib/token.so'), '/usr/lib/token.so');
  assert.equal(pathOf(''), '');
});

test.run();
