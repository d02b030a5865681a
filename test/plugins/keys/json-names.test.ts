// The spelling of names in JSON over HTTPS: the setting, the header that goes before it, and both read in every request.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import { type Answer, signInAdmin, startServer, type TestServer } from '../../server.ts';

const HEADER = 'x-json-names';
/** Enumerations that CryptographicParameters holds, and so what an object can keep and tell again. */
const HELD = ['BlockCipherMode', 'CryptographicAlgorithm', 'DigitalSignatureAlgorithm', 'HashingAlgorithm', 'MaskGenerator', 'PaddingMethod'];
const PAIRS = readFileSync(new URL('../../kmip/ttlv/json-names.txt', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [name = '', pairs = ''] = line.split(': ');
    return HELD.includes(name) ? pairs.split(' ').map((pair) => ({ name, spellings: pair.split('->') as [string, string] })) : [];
  });

interface Member {
  readonly tag: string;
  readonly value: unknown;
}

const text = (tag: string, value: string) => ({ tag, type: 'TextString', value });
const code = (tag: string, value: unknown) => ({ tag, type: 'Enumeration', value });
const members = (value: unknown, ...path: string[]): Member[] =>
  path.reduce((found, tag) => found.filter((each) => each.tag === tag).flatMap((each) => each.value as Member[]), value as Member[]);

async function holder(config: string) {
  const server: TestServer = await startServer({ config });
  const cookie = await signInAdmin(server);
  const post = (body: unknown, names?: string, path = '/kmip/2_1'): Promise<Answer> =>
    server.ask('POST', path, { cookie, body, ...(names === undefined ? {} : { headers: { [HEADER]: names } }) });
  const list = (path: string, names?: string) => server.ask('GET', path, { cookie, ...(names === undefined ? {} : { headers: { [HEADER]: names } }) });
  return { server, post, list };
}

const attributes = (...value: unknown[]) => ({ tag: 'Attributes', value });
const aes = attributes(
  code('CryptographicAlgorithm', 'AES'),
  { tag: 'CryptographicLength', type: 'Integer', value: 128 },
  { tag: 'CryptographicUsageMask', type: 'Integer', value: 'Encrypt|Decrypt' },
);
const create = { tag: 'Create', value: [code('ObjectType', 'SymmetricKey'), aes] };
const idOf = ({ body }: Answer) => String(members(body.value).find(({ tag }) => tag === 'UniqueIdentifier')?.value);

for (const setting of ['profile', 'compact'] as const)
  test(`${setting}: values in either spelling or as numbers are answered in the requested or configured spelling`, async () => {
    const { server, post } = await holder(`[keys]\njson_names = "${setting}"\n`);
    const id = text('UniqueIdentifier', idOf(await post(create)));
    for (const [at, { name, spellings }] of PAIRS.entries()) {
      const parameters = (value: unknown) => ({ tag: 'NewAttribute', value: [{ tag: 'CryptographicParameters', value: [code(name, value)] }] });
      const given = await post({ tag: at === 0 ? 'AddAttribute' : 'ModifyAttribute', value: [id, parameters(spellings[at % 2])] });
      assert.equal(given.status, 200, `${name} ${spellings[at % 2]}: ${given.text}`);
      const told = async (names?: string) => {
        const answer = await post({ tag: 'GetAttributes', value: [id, code('AttributeReference', 'CryptographicParameters')] }, names);
        return members(answer.body.value, 'Attributes', 'CryptographicParameters').find(({ tag }) => tag === name)?.value;
      };
      assert.deepEqual([await told('profile'), await told('Compact'), await told()], [...spellings, spellings[setting === 'profile' ? 0 : 1]], name);
    }
    await server.end();
  });

test("a whole message, its failures and its tags are in the spelling; XML is the profile's", async () => {
  const { server, post, list } = await holder('[keys]\njson_names = "compact"\n');
  const item = (operation: string, ...value: unknown[]) => ({ tag: 'BatchItem', value: [code('Operation', operation), { tag: 'RequestPayload', value }] });
  const version = ['Major', 'Minor'].map((part, at) => ({ tag: `ProtocolVersion${part}`, type: 'Integer', value: 2 - at }));
  const message = (...items: unknown[]) => ({
    tag: 'RequestMessage',
    value: [
      {
        tag: 'RequestHeader',
        value: [
          { tag: 'ProtocolVersion', value: version },
          { tag: 'BatchCount', type: 'Integer', value: items.length },
        ],
      },
      ...items,
    ],
  });
  const asked = message(item('Get', text('UniqueIdentifier', 'nobody')));
  const reason = async (names?: string) =>
    members((await post(asked, names, '/kmip')).body.value, 'BatchItem').find(({ tag }) => tag === 'ResultReason')?.value;
  assert.deepEqual([await reason(), await reason('profile')], ['Object_Not_Found', 'ObjectNotFound']);
  const id = idOf(await post(create));
  await post({ tag: 'SetAttribute', value: [text('UniqueIdentifier', id), { tag: 'NewAttribute', value: [text('PKCS12FriendlyName', 'f')] }] });
  const names = async (spelling: string) => (await post({ tag: 'GetAttributeList', value: [text('UniqueIdentifier', id)] }, spelling)).text;
  assert.ok((await names('compact')).includes('"PKCS12FriendlyName"'));
  assert.ok((await names('profile')).includes('"PKCS_12FriendlyName"'));
  await post({
    tag: 'Revoke',
    value: [text('UniqueIdentifier', id), { tag: 'RevocationReason', value: [code('RevocationReasonCode', 'KeyCompromise')] }],
  });
  assert.equal((await post({ tag: 'Destroy', value: [text('UniqueIdentifier', id)] })).status, 200);
  const states = async (spelling?: string) => (await list('/access/owned', spelling)).body.map(({ state }: { state: string }) => state);
  assert.deepEqual([await states(), await states('profile')], [['Destroyed_Compromised'], ['DestroyedCompromised']]);
  const xml = `<RequestMessage><RequestHeader><ProtocolVersion><ProtocolVersionMajor type="Integer" value="2"/><ProtocolVersionMinor type="Integer" value="1"/></ProtocolVersion><BatchCount type="Integer" value="1"/></RequestHeader><BatchItem><Operation type="Enumeration" value="Get"/><RequestPayload><UniqueIdentifier type="TextString" value="nobody"/></RequestPayload></BatchItem></RequestMessage>`;
  const cookie = (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie;
  const inXml = await server.ask('POST', '/kmip', { cookie, body: xml, headers: { 'content-type': 'text/xml', [HEADER]: 'compact' } });
  assert.ok(inXml.text.includes('value="ObjectNotFound"'), inXml.text);
  await server.end();
});

test('a spelling that there is not is refused, and told', async () => {
  const { server, post, list } = await holder('');
  for (const answer of [await post(create, 'short'), await post(create, ''), await list('/access/owned', 'short'), await list('/access/obtained', 'short')]) {
    assert.equal(answer.status, 400);
    assert.match(answer.body.message, /X-Json-Names: must be profile or compact/);
  }
  await server.end();
});

test('masks, vendor values and the two kinds of opaque data are read and kept', async () => {
  const { server, post } = await holder('');
  for (const [kind, profile, compact] of [
    ['Unknown', '0x80000001', 'Unknown'],
    ['0x80123456', '0x80123456', 'Vendor'],
    ['Vendor', '0x80123456', 'Vendor'],
    ['0x80ABCDEF', '0x80ABCDEF', '0x80ABCDEF'],
  ]) {
    const object = { tag: 'OpaqueObject', value: [code('OpaqueDataType', kind), { tag: 'OpaqueDataValue', type: 'ByteString', value: 'AB' }] };
    const id = text('UniqueIdentifier', idOf(await post({ tag: 'Register', value: [code('ObjectType', 'OpaqueObject'), attributes(), object] })));
    const told = async (names: string) => members((await post({ tag: 'Get', value: [id] }, names)).body.value, 'OpaqueObject')[0]?.value;
    assert.deepEqual([await told('profile'), await told('compact')], [profile, compact]);
  }
  await server.end();
});

test('rotation intervals accept every integer type, and are refused if they are not a number of seconds', async () => {
  const { server, post } = await holder('');
  const id = text('UniqueIdentifier', idOf(await post(create)));
  const set = (tag: string, type: string, value: unknown) => post({ tag: 'SetAttribute', value: [id, { tag: 'NewAttribute', value: [{ tag, type, value }] }] });
  for (const tag of ['RotateInterval', 'RotateOffset'])
    for (const [at, [type, value]] of [
      ['Integer', 7_200],
      ['LongInteger', '0x0000000000001C21'],
      ['Interval', 7_202],
    ].entries()) {
      const answer = await set(tag, String(type), value);
      assert.equal(answer.status, 200, answer.text);
      const told = await post({ tag: 'GetAttributes', value: [id, code('AttributeReference', tag)] });
      assert.deepEqual(members(told.body.value, 'Attributes'), [{ tag, type: 'Interval', value: 7_200 + at }]);
    }
  for (const [type, value] of [
    ['Integer', -1],
    ['LongInteger', '0x0000000100000000'],
    ['LongInteger', '-1'],
    ['TextString', '7200'],
    ['Enumeration', 7_200],
  ])
    assert.equal((await set('RotateInterval', String(type), value)).status, 422, `${type} ${value}`);
  for (const [type, value] of [
    ['Integer', 0],
    ['LongInteger', 0],
    ['Interval', 0],
  ] as const) {
    const key = text('UniqueIdentifier', idOf(await post(create)));
    const answer = await post({ tag: 'ReKey', value: [key, { tag: 'Offset', type, value }] });
    assert.equal(/has the wrong type|must be of type|is Integer|is LongInteger/.test(answer.text), false, answer.text);
  }
  await server.end();
});

test('two structures are plain values in the compact spelling, and read from both', async () => {
  const { server, post } = await holder('');
  const id = text('UniqueIdentifier', idOf(await post(create)));
  assert.equal((await post({ tag: 'SetAttribute', value: [id, { tag: 'NewAttribute', value: [text('RotateName', 'set')] }] })).status, 200);
  const told = async (names: string) =>
    members((await post({ tag: 'GetAttributes', value: [id, code('AttributeReference', 'RotateName')] }, names)).body.value, 'Attributes')[0];
  assert.deepEqual(await told('compact'), text('RotateName', 'set'));
  assert.deepEqual(members([await told('profile')], 'RotateName'), [text('RotateNameValue', 'set'), code('RotateNameType', 'UninterpretedTextString')]);
  const query = { tag: 'Query', value: [code('QueryFunction', 'QueryStorageProtectionMasks')] };
  const masks = async (names: string) => (await post(query, names)).body.value[0];
  const {
    value: [mask],
  } = await masks('profile');
  assert.deepEqual(await masks('compact'), { tag: 'ProtectionStorageMasks', type: 'Integer', value: mask.value });
  const stored = (value: number) => post({ tag: 'Create', value: [...create.value, { tag: 'ProtectionStorageMasks', type: 'Integer', value }] });
  assert.equal((await stored(mask.value)).status, 200);
  assert.match((await stored(2)).body.message, /^Protection_Storage_Unavailable/);
  await server.end();
});

test('texts of every alphabet and length come back as they were given', async () => {
  const { server, post } = await holder('');
  const id = text('UniqueIdentifier', idOf(await post(create)));
  // ASCII, Latin-1, two bytes and surrogates in UTF-8; the last makes an answer that is too long to stay a text.
  for (const given of ['plain', 'Créé', 'ключ 鍵', '🔑', 'é'.repeat(30_000)]) {
    const described = await post({ tag: 'SetAttribute', value: [id, { tag: 'NewAttribute', value: [text('Description', given)] }] });
    assert.equal(described.status, 200, described.text);
    const answer = await post({ tag: 'GetAttributes', value: [id, code('AttributeReference', 'Description')] });
    assert.equal(Number(answer.headers['content-length']), Buffer.byteLength(answer.text));
    assert.equal(members(answer.body.value, 'Attributes').find(({ tag }) => tag === 'Description')?.value, given);
  }
  await server.end();
});

test.run();
