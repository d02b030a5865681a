// What the command line of another key server sends and reads, as it does with json_names = "compact": the requests in which it departs from the profile.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type Answer, signInAdmin, startServer, type TestServer } from '../../server.ts';

let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer({ config: '[keys]\njson_names = "compact"\nvendor_identification = "cosmian"\n' });
  cookie = await signInAdmin(server);
});
test.after(() => server?.end());

interface Member {
  readonly tag: string;
  readonly type?: string;
  readonly value: unknown;
}

const text = (tag: string, value: string) => ({ tag, type: 'TextString', value });
const code = (tag: string, value: string) => ({ tag, type: 'Enumeration', value });
const number = (tag: string, value: number) => ({ tag, type: 'Integer', value });
const bytes = (tag: string, value: string) => ({ tag, type: 'ByteString', value });
const link = (type: string, id: string) => ({ tag: 'Link', value: [code('LinkType', type), text('LinkedObjectIdentifier', id)] });
const attributes = (...value: object[]) => ({ tag: 'Attributes', value });
const subject = (cn: string) => ({
  tag: 'CertificateAttributes',
  value: Object.entries({ CertificateSubjectCN: cn, CertificateSubjectO: 'ACME, "Inc"', CertificateSubjectOU: '', CertificateSubjectC: 'FR' }).map(
    ([tag, value]) => text(tag, value),
  ),
});
const id = (value: string) => text('UniqueIdentifier', value);

async function asked(operation: string, ...value: object[]): Promise<Answer> {
  return server.ask('POST', '/kmip/2_1', { cookie, body: { tag: operation, value } });
}

/** @returns the members of an answer that is no refusal */
async function done(operation: string, ...value: object[]): Promise<Member[]> {
  const answer = await asked(operation, ...value);
  assert.equal(answer.status, 200, `${operation}: ${answer.text}`);
  assert.equal(answer.body.tag, `${operation}Response`);
  return answer.body.value;
}

const valueIn = (members: readonly Member[], tag: string) => members.find((each) => each.tag === tag)?.value;
const attributesOf = async (of: string, ...references: object[]) => valueIn(await done('GetAttributes', id(of), ...references), 'Attributes') as Member[];

async function rsaPair(name: string): Promise<void> {
  await done(
    'CreateKeyPair',
    {
      tag: 'CommonAttributes',
      value: [
        code('CryptographicAlgorithm', 'RSA'),
        number('CryptographicLength', 2_048),
        {
          tag: 'Attribute',
          value: [text('VendorIdentification', 'cosmian'), text('AttributeName', 'tag'), text('AttributeValue', '["one","two"]')],
        },
        { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' },
      ],
    },
    { tag: 'PrivateKeyAttributes', value: [id(name), number('CryptographicUsageMask', 0x129)] },
    { tag: 'PublicKeyAttributes', value: [id(`${name}_pk`), number('CryptographicUsageMask', 0x16)] },
  );
}

test('an RSA signature is made with PSS and verified without a word about it', async () => {
  await rsaPair('signer');
  const pss = {
    tag: 'CryptographicParameters',
    value: [code('HashingAlgorithm', 'SHA256'), code('DigitalSignatureAlgorithm', 'RSASSAPSS'), code('MaskGeneratorHashingAlgorithm', 'SHA256')],
  };
  const signature = valueIn(await done('Sign', id('signer'), pss, bytes('Data', 'ABCD')), 'SignatureData') as string;
  const verdict = async (data: string) =>
    valueIn(await done('SignatureVerify', id('signer_pk'), bytes('Data', data), bytes('SignatureData', signature)), 'ValidityIndicator');
  assert.deepEqual([await verdict('ABCD'), await verdict('ABCE')], ['Valid', 'Invalid']);
});

test('tags and links are asked for as Tag and LinkType, attributes deleted by AttributeReferences', async () => {
  await rsaPair('linked');
  const tags = await attributesOf('linked', code('AttributeReference', 'Tag'));
  assert.deepEqual(
    tags.map(({ value }) => valueIn(value as Member[], 'AttributeValue')),
    ['["one","two"]'],
  );
  const links = await attributesOf('linked', code('AttributeReference', 'LinkType'));
  assert.deepEqual(links, [link('PublicKeyLink', 'linked_pk')]);
  await done('SetAttribute', id('linked'), {
    tag: 'NewAttribute',
    value: [{ tag: 'Name', value: [text('NameValue', 'n'), code('NameType', 'UninterpretedTextString')] }],
  });
  await done('DeleteAttribute', id('linked'), code('AttributeReferences', 'Name'));
  assert.deepEqual(await attributesOf('linked', code('AttributeReference', 'Name')), []);
  assert.equal((await asked('GetAttributes', id('linked'), code('AttributeReference', 'BatchCount'))).status, 422);
});

test('certificates: attribute names are texts, so is a validity date, and a certified one can be renewed', async () => {
  const pair = [code('CryptographicAlgorithm', 'EC'), { tag: 'CryptographicDomainParameters', value: [code('RecommendedCurve', 'P256')] }];
  const days = (value: string) => ({
    tag: 'Attribute',
    value: [text('VendorIdentification', 'cosmian'), text('AttributeName', 'requested_validity_days'), text('AttributeValue', value)],
  });
  const made = await done('Certify', attributes(code('ObjectType', 'Certificate'), ...pair, subject('leaf'), days('30'), id('cert')));
  assert.equal(valueIn(made, 'UniqueIdentifier'), 'cert');
  const told = await attributesOf('cert');
  for (const tag of ['X509CertificateSubject', 'X509CertificateIssuer'])
    assert.deepEqual(
      told.find((each) => each.tag === tag),
      text(tag, 'CN=leaf,O=ACME\\, \\"Inc\\",C=FR'),
    );
  assert.equal(valueIn(told, 'CertificateType'), 'X509');
  const verdict = async (when: string) => valueIn(await done('Validate', id('cert'), text('ValidityTime', when)), 'ValidityIndicator');
  const year = new Date(server.clock.now()).getUTCFullYear();
  assert.deepEqual([await verdict(`${year + 1}0701000000Z`), await verdict(`${year + 1}-07-01T00:00:00Z`)], ['Invalid', 'Invalid']);
  const tomorrow = new Date(server.clock.now() + 86_400_000).toISOString();
  assert.deepEqual([await verdict(tomorrow.replaceAll(/[-:T]|\.\d+/g, '')), await verdict(tomorrow)], ['Valid', 'Valid']);
  assert.match((await asked('Validate', id('cert'), text('ValidityTime', 'tomorrow'))).body.message, /ValidityDate must be a DateTime or a text such as/);
  const renewed = valueIn(await done('Certify', id('cert'), attributes(code('ObjectType', 'Certificate'), days('60'))), 'UniqueIdentifier') as string;
  assert.notEqual(renewed, 'cert');
  assert.deepEqual(
    (await attributesOf('cert', code('AttributeReference', 'Link'))).filter(({ value }) => valueIn(value as Member[], 'LinkType') === 'ReplacementObjectLink'),
    [link('ReplacementObjectLink', renewed)],
  );
});

test('a key is named after a hash alone: for a salt, or an HMAC', async () => {
  for (const [name, bits] of [
    ['SHA3256', 256],
    ['SHAKE256', 128],
  ] as const) {
    const key = attributes(code('CryptographicAlgorithm', name), number('CryptographicLength', bits), number('CryptographicUsageMask', 0x180), {
      tag: 'ActivationDate',
      type: 'DateTime',
      value: '2024-01-01T00:00:00Z',
    });
    const made = valueIn(await done('Create', code('ObjectType', 'SymmetricKey'), key), 'UniqueIdentifier') as string;
    const parameters = { tag: 'CryptographicParameters', value: [code('HashingAlgorithm', 'SHA3256')] };
    assert.match(String(valueIn(await done('MAC', id(made), parameters, bytes('Data', '01')), 'MACData')), /^[0-9A-F]{64}$/);
  }
});

test('an RSA key that is made for a signature encrypts too, where the names are compact', async () => {
  const make = (on: TestServer, session: string, alg: string) => on.ask('POST', '/v1/crypto/keys', { cookie: session, body: { kty: 'RSA', alg, bits: 2_048 } });
  const encrypt = (on: TestServer, session: string, kid: string) =>
    on.ask('POST', '/v1/crypto/encrypt', { cookie: session, body: { kid, alg: 'RSA-OAEP', enc: 'A256GCM', data: 'aGVsbG8' } });
  const { body: key } = await make(server, cookie, 'RS256');
  const sealed = await encrypt(server, cookie, key.kid_public);
  assert.equal(sealed.status, 200, sealed.text);
  const opened = await server.ask('POST', '/v1/crypto/decrypt', { cookie, body: sealed.body });
  assert.equal(opened.body.data, 'aGVsbG8', opened.text);
  const other = await startServer();
  const session = await signInAdmin(other);
  const { body: signing } = await make(other, session, 'RS256');
  assert.notEqual((await encrypt(other, session, signing.kid_public)).status, 200);
  await other.end();
});

test('with compact names a key contains its purpose, because these clients wrap with it themselves', async () => {
  const inside = async (on: TestServer, session: string, operation: string) => {
    const ask = (tag: string, value: object[]) => on.ask('POST', '/kmip/2_1', { cookie: session, body: { tag, value } });
    const made = attributes(code('CryptographicAlgorithm', 'AES'), number('CryptographicLength', 256), number('CryptographicUsageMask', 0x3c));
    const created = (await ask('Create', [code('ObjectType', 'SymmetricKey'), made])).body.value as Member[];
    const answer = await ask(operation, [id(valueIn(created, 'UniqueIdentifier') as string)]);
    const [block] = valueIn(answer.body.value, 'SymmetricKey') as Member[];
    return valueIn(valueIn(block?.value as Member[], 'KeyValue') as Member[], 'Attributes');
  };
  const other = await startServer();
  try {
    const session = await signInAdmin(other);
    for (const operation of ['Get', 'Export']) {
      assert.deepEqual(await inside(server, cookie, operation), [number('CryptographicUsageMask', 0x3c)], operation);
      assert.equal(await inside(other, session, operation), undefined, operation);
    }
  } finally {
    await other.end();
  }
});

test.run();
