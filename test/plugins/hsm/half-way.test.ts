// Calls that a token ends half way: nothing stays under the name that was wished, and what the token lacks is told by its name.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import type { Answer } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { endFaulty, type Faulty, pair, startFaulty } from './faulty-server.ts';
import {
  boolean,
  bytes,
  curve,
  done,
  enumeration,
  identifier,
  integer,
  type Json,
  kmip,
  makePair,
  makeSecret,
  parameters,
  refused,
  structure,
  text,
} from './hsm-server.ts';

const RSA = [enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)];
const AES = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256), integer('CryptographicUsageMask', 12)];
const PARAMETERS = parameters(enumeration('HashingAlgorithm', 'SHA_256'));

function register({ admin }: Faulty, id: string): Promise<Answer> {
  const material = structure('KeyMaterial', bytes('Key', Buffer.alloc(32, 7)));
  const facts = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256)];
  const block = structure('KeyBlock', enumeration('KeyFormatType', 'TransparentSymmetricKey'), structure('KeyValue', material), ...facts);
  const attributes = structure('Attributes', integer('CryptographicUsageMask', 12), identifier(id));
  return kmip(admin, 'Register', enumeration('ObjectType', 'SymmetricKey'), attributes, structure('SymmetricKey', block));
}

const derive = ({ admin }: Faulty, method: string, ...ids: readonly string[]): Promise<Answer> =>
  kmip(
    admin,
    'DeriveKey',
    enumeration('ObjectType', 'SymmetricKey'),
    ...ids.map(identifier),
    enumeration('DerivationMethod', method),
    structure('DerivationParameters', PARAMETERS, bytes('DerivationData', '00')),
    structure('Attributes', ...AES),
  );

function wrapped({ admin }: Faulty, id: string, by: string, ...how: readonly Json[]): Promise<Answer> {
  const information = structure('EncryptionKeyInformation', identifier(by), parameters(...how));
  const encoding = enumeration('EncodingOption', 'NoEncoding');
  return kmip(admin, 'Get', identifier(id), structure('KeyWrappingSpecification', enumeration('WrappingMethod', 'Encrypt'), information, encoding));
}

function untold(): void {
  test('a key that the token has made, and does not tell, is not kept: its name is free', async () => {
    const faulty = await startFaulty('');
    const makings: Readonly<Record<string, (id: string) => Promise<Answer>>> = {
      secret: (id) => makeSecret(faulty.admin, id),
      curve: (id) => pair(faulty, id),
      rsa: (id) => makePair(faulty.admin, id, ...RSA),
      brought: (id) => register(faulty, id),
    };
    for (const [name, make] of Object.entries(makings)) {
      const [id] = faulty.ids(name);
      faulty.library.tell(`unreadable ${name}`);
      await refused(make(id), /CKR_GENERAL_ERROR$/);
      faulty.library.tell(undefined);
      for (const kind of [2, 3, 4]) assert.ok(!(faulty.hsm.tool(faulty.slot, `labels(${kind})`) as string[]).includes(name), `${name}, class ${kind}`);
      await done(make(id));
    }
  });

  test('a key that a slow token has made for a ReKey that gave up does not stop the next one', async () => {
    const faulty = await startFaulty('deadline_seconds = 1');
    const [id] = faulty.ids('key');
    const isMadeLate = async () => {
      faulty.library.tell('make 3000');
      const late = await kmip(faulty.admin, 'ReKey', identifier(id));
      // Whoever looks after the slot may notice that it does not answer before the request gives up.
      assert.ok(late.status === 504 || /has not answered a call/.test(late.text), late.text);
      faulty.library.tell(undefined);
      await until(async () => (await faulty.encrypt(id)).status === 200, 'the slot works again', 20_000);
      return (faulty.hsm.tool(faulty.slot, 'labels(4)') as string[]).includes('key::1');
    };
    // On a busy machine its second may be over before the token is asked.
    await until(isMadeLate, 'the token has made it', 60_000);
    const made = await done(kmip(faulty.admin, 'ReKey', identifier(id)));
    assert.equal(made['UniqueIdentifier'], `${id}::2`);
    await done(kmip(faulty.admin, 'Destroy', identifier(`${id}::1`)));
  });
}

function missing(): void {
  test('a mechanism that the token does not have is named by each operation that needs it; nothing is left', async () => {
    const faulty = await startFaulty('');
    const { admin, library } = faulty;
    const [key, ec, rsa, open, kept] = ['key', 'ec', 'rsa', 'open', 'kept'].map((name) => faulty.ids(name)[0]) as [string, string, string, string, string];
    const halves = [
      structure('PrivateKeyAttributes', integer('CryptographicUsageMask', 0x1201), identifier(ec)),
      structure('PublicKeyAttributes', integer('CryptographicUsageMask', 0x202)),
    ];
    await done(kmip(admin, 'CreateKeyPair', structure('CommonAttributes', enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')), ...halves));
    await done(makePair(admin, rsa, ...RSA));
    await done(makeSecret(admin, open, boolean('Sensitive', false), boolean('Extractable', true)));
    await done(makeSecret(admin, kept, boolean('Sensitive', true), boolean('Extractable', true)));
    const before = [2, 3, 4].map((kind) => (faulty.hsm.tool(faulty.slot, `labels(${kind})`) as string[]).toSorted());
    const oaep = [enumeration('PaddingMethod', 'OAEP'), enumeration('HashingAlgorithm', 'SHA_1')];
    const mode = (name: string) => enumeration('BlockCipherMode', name);
    const cases: readonly (readonly [mechanism: string, code: string, work: () => Promise<Answer>])[] = [
      ['CKM_AES_KEY_GEN', '0x1080', () => makeSecret(admin, faulty.ids('new')[0])],
      ['CKM_AES_KEY_GEN', '0x1080', () => kmip(admin, 'ReKey', identifier(key))],
      ['CKM_EC_KEY_PAIR_GEN', '0x1040', () => kmip(admin, 'ReKeyKeyPair', text('PrivateKeyUniqueIdentifier', ec))],
      ['CKM_RSA_PKCS_KEY_PAIR_GEN', '0x0', () => makePair(admin, faulty.ids('new')[0], ...RSA)],
      ['CKM_ECDH1_DERIVE', '0x1050', () => derive(faulty, 'AsymmetricKey', ec, `${ec}_pk`)],
      ['CKM_AES_KEY_WRAP', '0x2109', () => wrapped(faulty, open, key, mode('NISTKeyWrap'))],
      ['CKM_AES_KEY_WRAP', '0x2109', () => wrapped(faulty, kept, key, mode('NISTKeyWrap'))],
      ['CKM_AES_GCM', '0x1087', () => wrapped(faulty, open, key, mode('GCM'))],
      ['CKM_RSA_PKCS_OAEP', '0x9', () => wrapped(faulty, open, `${rsa}_pk`, ...oaep)],
      ['CKM_RSA_PKCS_OAEP', '0x9', () => wrapped(faulty, kept, `${rsa}_pk`, ...oaep)],
    ];
    for (const [mechanism, code, work] of cases) {
      library.tell(`fewer ${code}`);
      const named = new RegExp(`the token has no mechanism ${mechanism}$`);
      await until(async () => named.test((await work()).body.message), mechanism, 20_000);
      library.tell(undefined);
      await done(faulty.encrypt(key));
    }
    assert.deepEqual(
      [2, 3, 4].map((kind) => (faulty.hsm.tool(faulty.slot, `labels(${kind})`) as string[]).toSorted()),
      before,
    );
    await refused(derive(faulty, 'HMAC', key), /a key in an HSM derives by HKDF, or by AsymmetricKey with its peer, not by HMAC$/);
  });
}

if (!skipWithout('softhsm2') && canBuild()) {
  untold();
  missing();
  test.after.each(endFaulty);
  test.run();
}
