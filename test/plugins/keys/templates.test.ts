// What new objects take from templates of KMIP 1.x, and what those are named by (KMIP 1.4 sections 2.2.6 and 4).
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { enumeration, integer, type Node, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { child, children, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { type KmipClient, name, textIn } from './kmip-client.ts';

const alice = caller('alice');

const ID = (id: string): Node => text(TAG.UniqueIdentifier, id);
const CLIENTS = [0, 1, 2, 3, 4].map((minor) => () => alice.client({ major: 1, minor, encoding: 'binary' }));
const TEMPLATE = enumeration(TAG.ObjectType, ENUM.ObjectType.Template);
const GROUP = (value: string): Node => text(TAG.ObjectGroup, value);
const CONTACT = (value: string): Node => text(TAG.ContactInformation, value);

async function template(client: KmipClient, own: string, ...attributes: Node[]): Promise<string> {
  const made = await client.do('Register', TEMPLATE, client.attributes(name(own)), structure(TAG.Template, attributes));
  return textIn(made, TAG.UniqueIdentifier);
}

/** The texts of an attribute of an object, in order. */
async function textsOf(client: KmipClient, id: string, attribute: string): Promise<unknown[]> {
  const told = await client.do('GetAttributes', ID(id), text(TAG.AttributeName, attribute));
  return (children(told, TAG.Attribute) as Structure[]).map((each) => child(each, TAG.AttributeValue)?.value);
}

test('templates and request unite multiple values; of single values the request and last template win', async () => {
  for (const [minor, speak] of CLIENTS.entries()) {
    const client = speak();
    const [one, two] = [`first of 1.${minor}`, `second of 1.${minor}`];
    const given = (...nodes: Node[]) => nodes.map((node) => client.attribute(node));
    await template(client, one, ...given(GROUP('a'), GROUP('b'), CONTACT('one')), client.custom('id', 'of one'), client.custom('purpose', 'show'));
    await template(client, two, ...given(GROUP('b'), GROUP('c'), CONTACT('two')), client.custom('id', 'of two'));
    const aes = given(
      enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
      integer(TAG.CryptographicLength, 128),
      integer(TAG.CryptographicUsageMask, MASK.CryptographicUsageMask.Encrypt),
    );
    const made = async (...members: Node[]) =>
      textIn(
        await client.do('Create', enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey), structure(TAG.TemplateAttribute, members)),
        TAG.UniqueIdentifier,
      );
    const both = await made(name(one), name(two), ...aes, ...given(GROUP('c'), GROUP('d')), client.custom('id', 'own'));
    assert.deepEqual(await textsOf(client, both, 'Object Group'), ['a', 'b', 'c', 'd']);
    assert.deepEqual(await textsOf(client, both, 'Contact Information'), ['two']);
    assert.deepEqual(await textsOf(client, both, 'x-id'), ['of one', 'of two', 'own']);
    assert.deepEqual(await textsOf(client, both, 'x-purpose'), ['show']);
    const own = await made(name(one), ...aes, ...given(CONTACT('mine')));
    assert.deepEqual(await textsOf(client, own, 'Contact Information'), ['mine']);
    // The name of a template stays its own.
    assert.deepEqual(await textsOf(client, own, 'Name'), []);
  }
});

test('a template whose Name is inside has it as its own, and gives it to nobody', async () => {
  for (const [minor, speak] of CLIENTS.entries()) {
    const client = speak();
    const own = name(`inside 1.${minor}`);
    const content = structure(TAG.Template, [client.attribute(GROUP('g')), client.attribute(own)]);
    const id = textIn(await client.do('Register', TEMPLATE, structure(TAG.TemplateAttribute, []), content), TAG.UniqueIdentifier);
    assert.equal(textOf((await client.valueOf(id, TAG.Name)) as Structure, TAG.NameValue), `inside 1.${minor}`);
    assert.deepEqual((await client.do('Get', ID(id))).value.at(-1), content);
    const secret = structure(TAG.SecretData, [
      enumeration(TAG.SecretDataType, ENUM.SecretDataType.Password),
      structure(TAG.KeyBlock, [
        enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Opaque),
        structure(TAG.KeyValue, [{ tag: TAG.KeyMaterial, type: TYPE.ByteString, value: Buffer.from('swordfish') }]),
      ]),
    ]);
    const type = enumeration(TAG.ObjectType, ENUM.ObjectType.SecretData);
    const made = await client.do('Register', type, structure(TAG.TemplateAttribute, [own, client.attribute(name(`made 1.${minor}`))]), secret);
    assert.deepEqual(await textsOf(client, textIn(made, TAG.UniqueIdentifier), 'Object Group'), ['g']);
    assert.equal(textOf((await client.valueOf(textIn(made, TAG.UniqueIdentifier), TAG.Name)) as Structure, TAG.NameValue), `made 1.${minor}`);
    assert.equal(await client.refused('Register', TEMPLATE, client.attributes(name('another')), content), 'InvalidField');
  }
});

test('a template that is archived is told as archived, until it is recovered', async () => {
  for (const [minor, speak] of CLIENTS.entries()) {
    const client = speak();
    const own = `archived of 1.${minor}`;
    const id = await template(client, own, client.attribute(CONTACT('kept')));
    const key = [
      enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
      integer(TAG.CryptographicLength, 128),
      integer(TAG.CryptographicUsageMask, MASK.CryptographicUsageMask.Encrypt),
    ].map((node) => client.attribute(node));
    const creation = [enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey), structure(TAG.TemplateAttribute, [name(own), ...key])];
    await client.do('Archive', ID(id));
    assert.equal(await client.refused('Create', ...creation), 'ObjectArchived');
    await client.do('Recover', ID(id));
    await client.do('Create', ...creation);
    await client.do('Destroy', ID(id));
    assert.equal(await client.refused('Create', ...creation), 'ItemNotFound');
  }
});

test.run();
