// SetAttribute and ModifyAttribute of a Link: the link of that type is another one afterwards, those of other types are as they were.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Structure } from '../../../kmip/ttlv/node.ts';
import { codeOf, nameOf, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { aes, code, id, link, newAttribute } from '../../fuzz/members.ts';
import { caller } from './caller.ts';
import { textIn } from './kmip-client.ts';

const alice = caller('alice');
const client = alice.client({ major: 2, minor: 1, encoding: 'json' });

const made = async () => textIn(await client.do('Create', code('ObjectType', 'SymmetricKey'), aes(128)), TAG.UniqueIdentifier);

async function linksOf(key: string): Promise<string[]> {
  const payload = await client.do('GetAttributes', id(key), enumeration(TAG.AttributeReference, TAG.Link));
  const links = (structureOf(payload, TAG.Attributes)?.value ?? []) as readonly Structure[];
  return links.map((each) => `${nameOf('LinkType', codeOf(each, TAG.LinkType) ?? ENUM.LinkType.NextLink)} ${textOf(each, TAG.LinkedObjectIdentifier)}`).sort();
}

test('SetAttribute replaces the link of its type and adds it where there is none', async () => {
  const key = await made();
  const set = (type: keyof typeof ENUM.LinkType, to: string) => client.do('SetAttribute', id(key), newAttribute(link(type, to)));
  await set('ParentLink', 'a');
  await set('ChildLink', 'b');
  assert.deepEqual(await linksOf(key), ['ChildLink b', 'ParentLink a']);
  await set('NextLink', 'c');
  await set('ParentLink', 'd');
  assert.deepEqual(await linksOf(key), ['ChildLink b', 'NextLink c', 'ParentLink d']);
  await client.do('AddAttribute', id(key), newAttribute(link('ChildLink', 'e')));
  assert.equal(await client.refused('SetAttribute', id(key), newAttribute(link('ChildLink', 'f'))), 'MultiValuedAttribute');
  await set('NextLink', 'g');
  assert.deepEqual(await linksOf(key), ['ChildLink b', 'ChildLink e', 'NextLink g', 'ParentLink d']);
});

test('ModifyAttribute changes the link of its type, and no other where there is none', async () => {
  const key = await made();
  const modified = link('ParentLink', 'b');
  await client.do('AddAttribute', id(key), newAttribute(link('ChildLink', 'a')));
  assert.equal(await client.refused('ModifyAttribute', id(key), newAttribute(modified)), 'AttributeNotFound');
  assert.deepEqual(await linksOf(key), ['ChildLink a']);
  await client.do('AddAttribute', id(key), newAttribute(link('ParentLink', 'a')));
  await client.do('ModifyAttribute', id(key), newAttribute(modified));
  assert.deepEqual(await linksOf(key), ['ChildLink a', 'ParentLink b']);
});

test.run();
