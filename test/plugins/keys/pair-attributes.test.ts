// Common, private and public attributes of a new key pair: values of one attribute are united (KMIP 1.4 section 4.2, 2.1 section 6.1.9).
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { bytes, dateTime, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { child, children, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { type KmipClient, name, textIn } from './kmip-client.ts';

const alice = caller('alice');

const SPEECHES = [
  { major: 1, minor: 4, encoding: 'binary' },
  { major: 2, minor: 1, encoding: 'json' },
] as const;
const GROUP = (value: string): Node => text(TAG.ObjectGroup, value);
const CONTACT = (value: string): Node => text(TAG.ContactInformation, value);
const CURVE = structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve.P_256)]);
const MASKED = (value: number): Node => integer(TAG.CryptographicUsageMask, value);

const signing = (padding: keyof typeof ENUM.PaddingMethod): Node =>
  structure(TAG.CryptographicParameters, [
    enumeration(TAG.PaddingMethod, ENUM.PaddingMethod[padding]),
    enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm.SHA_256),
  ]);
const [PSS, PKCS1] = [signing('PSS'), signing('PKCS1V1_5')];
const activeSince = (seconds: number): Node => dateTime(TAG.ActivationDate, seconds);

function members(client: KmipClient, common: readonly Node[], ofPrivate: readonly Node[], ofPublic: readonly Node[]): Node[] {
  const tags = client.isOld
    ? [TAG.CommonTemplateAttribute, TAG.PrivateKeyTemplateAttribute, TAG.PublicKeyTemplateAttribute]
    : [TAG.CommonAttributes, TAG.PrivateKeyAttributes, TAG.PublicKeyAttributes];
  return [common, ofPrivate, ofPublic].map((nodes, at) =>
    structure(
      tags[at] as number,
      nodes.map((node) => client.attribute(node)),
    ),
  );
}

/** All values that an object has of some attributes, in order; of a Name its text. */
async function valuesOf(client: KmipClient, id: string, ...tags: readonly number[]): Promise<unknown[]> {
  const told = await client.do('GetAttributes', text(TAG.UniqueIdentifier, id));
  const nodes = client.isOld
    ? (children(told, TAG.Attribute) as Structure[]).map((each) => ({ name: textOf(each, TAG.AttributeName), node: child(each, TAG.AttributeValue) }))
    : (child(told, TAG.Attributes) as Structure).value.map((node) => ({ name: OLD_NAMES.get(node.tag), node }));
  const wanted = new Set(tags.map((tag) => OLD_NAMES.get(tag)));
  return nodes
    .filter((each) => each.name !== undefined && wanted.has(each.name))
    .map(({ node }) => (Array.isArray(node?.value) ? textOf(node as Structure, TAG.NameValue) : node?.value));
}

const OLD_NAMES = new Map<number, string>([
  [TAG.Name, 'Name'],
  [TAG.ObjectGroup, 'Object Group'],
  [TAG.ContactInformation, 'Contact Information'],
]);

for (const speech of SPEECHES) {
  const version = `${speech.major}.${speech.minor}`;
  test(`the keys of a pair have the common values beside their own, which come first: KMIP ${version}`, async () => {
    const client = alice.client(speech);
    const [common, own] = [name(`common ${version}`), name(`own ${version}`)];
    const made = await client.do(
      'CreateKeyPair',
      ...members(
        client,
        [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.EC), CURVE, common, GROUP('all'), GROUP('both'), CONTACT('all')],
        [MASKED(MASK.CryptographicUsageMask.Sign), own, GROUP('private'), GROUP('both'), CONTACT('private')],
        [MASKED(MASK.CryptographicUsageMask.Verify), common],
      ),
    );
    const pair = [textIn(made, TAG.PrivateKeyUniqueIdentifier), textIn(made, TAG.PublicKeyUniqueIdentifier)] as const;
    const expect = async ([ofPrivate, ofPublic]: readonly [string, string]) => {
      assert.deepEqual(await valuesOf(client, ofPrivate, TAG.Name), [`own ${version}`, `common ${version}`]);
      assert.deepEqual(new Set(await valuesOf(client, ofPrivate, TAG.ObjectGroup)), new Set(['private', 'both', 'all']));
      // Of a single value the more specific one counts.
      assert.deepEqual(await valuesOf(client, ofPrivate, TAG.ContactInformation), ['private']);
      assert.deepEqual(await valuesOf(client, ofPublic, TAG.Name), [`common ${version}`]);
      assert.deepEqual(new Set(await valuesOf(client, ofPublic, TAG.ObjectGroup)), new Set(['all', 'both']));
      assert.deepEqual(await valuesOf(client, ofPublic, TAG.ContactInformation), ['all']);
    };
    await expect(pair);
    const next = await client.do('ReKeyKeyPair', text(TAG.PrivateKeyUniqueIdentifier, pair[0]));
    await expect([textIn(next, TAG.PrivateKeyUniqueIdentifier), textIn(next, TAG.PublicKeyUniqueIdentifier)]);
  });

  test(`the keys of a pair have the same parameters, and those of one are the other's: KMIP ${version}`, async () => {
    const client = alice.client(speech);
    const common = [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.RSA), integer(TAG.CryptographicLength, 2048), activeSince(1)];
    const [ofPrivate, ofPublic] = [MASKED(MASK.CryptographicUsageMask.Sign), MASKED(MASK.CryptographicUsageMask.Verify)];
    const made = await client.do('CreateKeyPair', ...members(client, common, [ofPrivate, PSS], [ofPublic]));
    const data = bytes(TAG.Data, Buffer.from('signed'));
    const signed = await client.do('Sign', text(TAG.UniqueIdentifier, textIn(made, TAG.PrivateKeyUniqueIdentifier)), data);
    const signature = child(signed, TAG.SignatureData) as Node;
    const verified = await client.do('SignatureVerify', text(TAG.UniqueIdentifier, textIn(made, TAG.PublicKeyUniqueIdentifier)), data, signature);
    assert.equal(child(verified, TAG.ValidityIndicator)?.value, ENUM.ValidityIndicator.Valid);
    const [refusal] = await client.refusals('CreateKeyPair', [members(client, common, [ofPrivate, PSS], [ofPublic, PKCS1])]);
    assert.deepEqual(refusal, { reason: 'InvalidField', message: 'the CryptographicParameters of the two keys must be the same' });
    await client.do('CreateKeyPair', ...members(client, [...common, PSS], [ofPrivate, PKCS1], [ofPublic, PKCS1]));
  });

  test(`a length that keys on the curve do not have is refused: KMIP ${version}`, async () => {
    const client = alice.client(speech);
    const make = (bits: number): readonly Node[] => {
      const common = [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.EC), CURVE, integer(TAG.CryptographicLength, bits)];
      return members(client, common, [MASKED(MASK.CryptographicUsageMask.Sign)], [MASKED(MASK.CryptographicUsageMask.Verify)]);
    };
    await client.do('CreateKeyPair', ...make(256));
    const [refusal] = await client.refusals('CreateKeyPair', [make(384)]);
    assert.deepEqual(refusal, { reason: 'InvalidField', message: 'CryptographicLength: keys of P_256 do not have 384 bits' });
  });
}

test('the identifier of a public key follows from that of its private key, and another is not passed over', async () => {
  const client = alice.client(SPEECHES[1]);
  const id = (value: string) => text(TAG.UniqueIdentifier, value);
  const of = (privateId: string | undefined, publicId: string) =>
    members(client, [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.EC), CURVE], privateId === undefined ? [] : [id(privateId)], [
      id(publicId),
    ]);
  const refused = await client.refusals('CreateKeyPair', [of('chosen', 'other_pk'), of(undefined, 'alone_pk'), of(undefined, 'hsm::soft_hsm::0::alone_pk')]);
  for (const each of refused) assert.deepEqual([each?.reason, each?.message.includes('follows from that of the private key')], ['InvalidField', true]);
  const made = await client.do('CreateKeyPair', ...of('chosen', 'chosen_pk'));
  assert.equal(textIn(made, TAG.PublicKeyUniqueIdentifier), 'chosen_pk');
  const common = members(client, [id('common'), enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.EC), CURVE], [], []);
  assert.equal(textIn(await client.do('CreateKeyPair', ...common), TAG.PublicKeyUniqueIdentifier), 'common_pk');
});

test.run();
