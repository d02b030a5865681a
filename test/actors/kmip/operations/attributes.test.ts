// The operations that read and change attributes, on objects in memory.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Operation } from '../../../../actors/kmip/operation.ts';
import { addAttribute } from '../../../../actors/kmip/operations/add-attribute.ts';
import { adjustAttribute } from '../../../../actors/kmip/operations/adjust-attribute.ts';
import { create } from '../../../../actors/kmip/operations/create.ts';
import { deleteAttribute } from '../../../../actors/kmip/operations/delete-attribute.ts';
import { exportObject } from '../../../../actors/kmip/operations/export.ts';
import { getAttributeList } from '../../../../actors/kmip/operations/get-attribute-list.ts';
import { getAttributes } from '../../../../actors/kmip/operations/get-attributes.ts';
import { modifyAttribute } from '../../../../actors/kmip/operations/modify-attribute.ts';
import { setAttribute } from '../../../../actors/kmip/operations/set-attribute.ts';
import { sameNode } from '../../../../kmip/attribute/set.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { symmetricKey } from '../../../../kmip/key-block.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { boolean, dateTime, enumeration, integer, interval, longInteger, type Node, type Structure, structure, text } from '../../../../kmip/ttlv/node.ts';
import { codeOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type ContextOptions, draft, type ObjectOptions, ObjectsInMemory } from '../../../fakes/objects.ts';

const NOW = 1_700_000_000;
const { State } = ENUM;
const V1_4 = { major: 1, minor: 4 };

const name = (value: string): Node => structure(TAG.Name, [text(TAG.NameValue, value), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
const vendor = (party: string, called: string, value: Node): Node =>
  structure(TAG.Attribute, [text(TAG.VendorIdentification, party), text(TAG.AttributeName, called), value]);
const custom = (called: string, value: string) => vendor('x', called, text(TAG.AttributeValue, value));
const tags = (value: string) => vendor('cosmian', 'tag', text(TAG.AttributeValue, value));
const id = text(TAG.UniqueIdentifier, 'k');
const reference = (tag: number) => enumeration(TAG.AttributeReference, tag);
const to = (...nodes: Node[]) => structure(TAG.NewAttribute, nodes);
const current = (node: Node) => structure(TAG.CurrentAttribute, [node]);
const refused = (reason: string) => (error: unknown) => refusalOf(error)?.reason === reason;

const holding = (attributes: readonly Node[], object: ObjectOptions = {}, options: ContextOptions = {}) =>
  new ObjectsInMemory([draft('k', { ...object, attributes })], { now: NOW, ...options });
const ask = async (operation: Operation, ctx: ObjectsInMemory, ...members: Node[]) =>
  (await operation.run(structure(TAG.RequestPayload, [id, ...members]), ctx)) as Node[];
const values = (ctx: ObjectsInMemory, tag: number) =>
  ctx.objects
    .get('k')
    ?.attributes.all(tag)
    .map(({ node }) => node);

test('AddAttribute adds, notes the change and audits it', async () => {
  const ctx = holding([]);
  assert.deepEqual(await ask(addAttribute, ctx, to(text(TAG.Description, 'd'))), [id]);
  assert.deepEqual(values(ctx, TAG.Description), [text(TAG.Description, 'd')]);
  assert.deepEqual(values(ctx, TAG.LastChangeDate), [dateTime(TAG.LastChangeDate, NOW)]);
  assert.deepEqual(ctx.audited, ['key.attribute k']);
});

test('AddAttribute refuses and leaves everything as it was', async () => {
  const ctx = holding([text(TAG.Description, 'd'), name('a')]);
  const add = (node: Node) => ask(addAttribute, ctx, to(node));
  await assert.rejects(add(text(TAG.Description, 'e')), refused('AttributeSingleValued'));
  await assert.rejects(add(name('a')), refused('NonUniqueNameAttribute'));
  await assert.rejects(add(enumeration(TAG.State, State.Active)), /server-managed/);
  await assert.rejects(add(integer(TAG.CryptographicLength, 128)), /set only when the object is created/);
  await assert.rejects(add(enumeration(TAG.CryptographicAlgorithm, 3)), /CryptographicAlgorithm can be set only when the object is created/);
  await assert.rejects(add(vendor('y', 'Made', text(TAG.AttributeValue, ''))), refused('AttributeReadOnly'));
  await assert.rejects(ask(addAttribute, ctx, to(name('b'), name('c'))), refused('InvalidMessage'));
  await assert.rejects(ask(addAttribute, ctx, to(integer(TAG.AttributeIndex, 1), name('b'))), refused('InvalidField'));
  await assert.rejects(ask(addAttribute, ctx), refused('InvalidMessage'));
  assert.deepEqual(values(ctx, TAG.Name), [name('a')]);
  assert.equal(values(ctx, TAG.LastChangeDate)?.length, 0);
  assert.deepEqual(ctx.audited, []);
});

test('an object with the defaults of Sensitive and Extractable was in the clear once', async () => {
  const ctx = holding([], { type: ENUM.ObjectType.OpaqueObject });
  await ask(setAttribute, ctx, to(boolean(TAG.Sensitive, true)));
  await ask(addAttribute, ctx, to(boolean(TAG.Extractable, false)));
  const shown = await ask(getAttributes, ctx, reference(TAG.AlwaysSensitive), reference(TAG.NeverExtractable));
  assert.deepEqual(shown, [id, structure(TAG.Attributes, [boolean(TAG.AlwaysSensitive, false), boolean(TAG.NeverExtractable, false)])]);
});

test('no client gives an object attributes of the vendor y, which are for servers', async () => {
  const type = enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey);
  const aes = [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES), integer(TAG.CryptographicLength, 128)];
  const asked = structure(TAG.Attributes, [...aes, vendor('y', 'Made', text(TAG.AttributeValue, ''))]);
  await assert.rejects(async () => create.run(structure(TAG.RequestPayload, [type, asked]), holding([])), refused('AttributeReadOnly'));
});

test('a secret in another format than the default shows the digest in both', async () => {
  const ctx = new ObjectsInMemory([], { now: NOW });
  const made = await create.run(structure(TAG.RequestPayload, [enumeration(TAG.ObjectType, ENUM.ObjectType.SecretData), structure(TAG.Attributes, [])]), ctx);
  const [, shown] = await getAttributes.run(structure(TAG.RequestPayload, [made[1] as Node, reference(TAG.Digest)]), ctx);
  const formats = (shown as Structure).value.map((digest) => codeOf(digest as Structure, TAG.KeyFormatType));
  assert.deepEqual(formats, [ENUM.KeyFormatType.Opaque, ENUM.KeyFormatType.Raw]);
});

test('Export gives a client of 1.x each value with its index', async () => {
  const content = symmetricKey(new Uint8Array(16), 'AES', 128);
  const ctx = holding([name('a'), name('b')], { content }, { version: V1_4 });
  const attributes = (await ask(exportObject, ctx)).find(({ tag }) => tag === TAG.Attributes) as Structure;
  const at = attributes.value.findIndex((node) => sameNode(node, name('b')));
  assert.deepEqual(attributes.value[at - 1], integer(TAG.AttributeIndex, 1));
});

test('a name of before there were limits is read, changed and deleted, and no new one is like it', async () => {
  const old = [name(''), name('a\0'), name('x'.repeat(5_000)), tags(JSON.stringify(['y'.repeat(300)]))];
  const [empty, zero, long, tagged] = old as [Node, Node, Node, Node];
  const ctx = holding(old);
  assert.deepEqual(await ask(getAttributes, ctx, reference(TAG.Name)), [id, structure(TAG.Attributes, [empty, zero, long])]);
  for (const node of old) await assert.rejects(ask(addAttribute, ctx, to(node)), refused('InvalidAttributeValue'));
  await assert.rejects(ask(modifyAttribute, ctx, current(empty), to(long)), refused('InvalidAttributeValue'));
  await ask(modifyAttribute, ctx, current(empty), to(name('new')));
  await ask(deleteAttribute, ctx, current(zero));
  await ask(deleteAttribute, ctx, current(long));
  await ask(deleteAttribute, ctx, current(tagged));
  assert.deepEqual([values(ctx, TAG.Name), values(ctx, TAG.Attribute)], [[name('new')], []]);
});

test('an attribute has at most 256 values', async () => {
  const ctx = holding(Array.from({ length: 256 }, (_, place) => text(TAG.ObjectGroup, `${place}`)));
  await assert.rejects(ask(addAttribute, ctx, to(text(TAG.ObjectGroup, 'more'))), refused('ServerLimitExceeded'));
});

test('a client of 1.x may repeat its operation policy, and is answered with the value', async () => {
  const policy = text(TAG.OperationPolicyName, 'default');
  const ctx = holding([policy, name('a')], {}, { version: V1_4 });
  await ask(addAttribute, ctx, to(policy));
  await assert.rejects(ask(addAttribute, ctx, to(text(TAG.OperationPolicyName, 'other'))), refused('AttributeSingleValued'));
  assert.deepEqual(await ask(addAttribute, ctx, to(name('b'))), [id, to(integer(TAG.AttributeIndex, 1), name('b'))]);
});

test('ModifyAttribute finds the value that is meant', async () => {
  const ctx = holding([name('a'), name('b'), text(TAG.Comment, 'c')]);
  await ask(modifyAttribute, ctx, to(text(TAG.Comment, 'd')));
  await ask(modifyAttribute, ctx, current(name('b')), to(name('c')));
  await ask(modifyAttribute, ctx, to(integer(TAG.AttributeIndex, 0), name('z')));
  assert.deepEqual(values(ctx, TAG.Name), [name('z'), name('c')]);
  assert.deepEqual(values(ctx, TAG.Comment), [text(TAG.Comment, 'd')]);
  await assert.rejects(ask(modifyAttribute, ctx, to(name('y'))), refused('AttributeInstanceNotFound'));
  await assert.rejects(ask(modifyAttribute, ctx, current(name('x')), to(name('y'))), refused('AttributeInstanceNotFound'));
  await assert.rejects(ask(modifyAttribute, ctx, current(name('z')), to(name('c'))), refused('NonUniqueNameAttribute'));
  await assert.rejects(ask(modifyAttribute, ctx, current(text(TAG.Comment, 'd')), to(name('y'))), refused('InvalidField'));
  await assert.rejects(ask(modifyAttribute, ctx, to(text(TAG.Description, 'd'))), refused('AttributeNotFound'));
  await assert.rejects(ask(modifyAttribute, ctx, to(enumeration(TAG.State, State.Active))), refused('AttributeReadOnly'));
  await assert.rejects(ask(modifyAttribute, holding([]), to(integer(TAG.CryptographicUsageMask, 4))), refused('AttributeReadOnly'));
});

test('a value of an attribute is there once, however it comes', async () => {
  const [one, other] = [text(TAG.ObjectGroup, 'one'), text(TAG.ObjectGroup, 'other')];
  const ctx = holding([one, other, custom('ID', '1'), custom('ID', '2'), custom('Bar', '2')]);
  await ask(addAttribute, ctx, to(one));
  await assert.rejects(ask(modifyAttribute, ctx, current(one), to(other)), refused('InvalidField'));
  await assert.rejects(ask(modifyAttribute, ctx, current(custom('ID', '1')), to(custom('ID', '2'))), /already has this Attribute/);
  await ask(modifyAttribute, ctx, current(one), to(one));
  assert.deepEqual(values(ctx, TAG.ObjectGroup), [one, other]);
  assert.deepEqual(values(ctx, TAG.Attribute), [custom('ID', '1'), custom('ID', '2'), custom('Bar', '2')]);
});

test('SetAttribute adds or changes what has one value', async () => {
  const ctx = holding([name('a')]);
  await ask(setAttribute, ctx, to(text(TAG.Description, 'd')));
  await ask(setAttribute, ctx, to(text(TAG.Description, 'e')));
  await ask(setAttribute, ctx, to(name('b')));
  await ask(setAttribute, ctx, to(interval(TAG.RotateInterval, 60)));
  await ask(setAttribute, ctx, to(interval(TAG.RotateInterval, 0)));
  assert.deepEqual(values(ctx, TAG.Description), [text(TAG.Description, 'e')]);
  assert.deepEqual(values(ctx, TAG.Name), [name('b')]);
  assert.deepEqual(values(ctx, TAG.RotateInterval), [interval(TAG.RotateInterval, 0)]);
  await ask(addAttribute, ctx, to(name('c')));
  await assert.rejects(ask(setAttribute, ctx, to(name('d'))), refused('MultiValuedAttribute'));
  for (const tag of [TAG.RotateGeneration, TAG.ProtectionStorageMask]) await assert.rejects(ask(setAttribute, ctx, to(integer(tag, 1))), /server-managed/);
});

test('DeleteAttribute takes one value, all of them, or that with an index', async () => {
  const held = [name('a'), name('b'), custom('ID', '1'), custom('ID', '2'), custom('Bar', '1')];
  const ctx = holding(held);
  await ask(deleteAttribute, ctx, current(name('a')));
  assert.deepEqual(values(ctx, TAG.Name), [name('b')]);
  await ask(deleteAttribute, ctx, structure(TAG.AttributeReference, [text(TAG.VendorIdentification, 'x'), text(TAG.AttributeName, 'ID')]));
  assert.deepEqual(values(ctx, TAG.Attribute), [custom('Bar', '1')]);
  await assert.rejects(ask(deleteAttribute, ctx, current(name('a'))), refused('AttributeInstanceNotFound'));
  await assert.rejects(ask(deleteAttribute, ctx, reference(TAG.Comment)), refused('AttributeNotFound'));
  await assert.rejects(ask(deleteAttribute, ctx, reference(TAG.ActivationDate)), refused('AttributeReadOnly'));
  await assert.rejects(ask(deleteAttribute, ctx, reference(TAG.KeyMaterial)), refused('InvalidAttribute'));
  await assert.rejects(ask(deleteAttribute, ctx), refused('InvalidMessage'));
  await assert.rejects(ask(deleteAttribute, ctx, current(name('b')), reference(TAG.Name)), refused('InvalidField'));
  assert.deepEqual(values(ctx, TAG.Name), [name('b')]);
  const old = holding(held, {}, { version: V1_4 });
  const deleted = await ask(deleteAttribute, old, reference(TAG.Name), integer(TAG.AttributeIndex, 1));
  assert.deepEqual(deleted, [id, to(integer(TAG.AttributeIndex, 1), name('b'))]);
  await assert.rejects(ask(deleteAttribute, old, reference(TAG.Name), integer(TAG.AttributeIndex, 1)), refused('AttributeInstanceNotFound'));
});

test('dates change as long as they have no effect, and then bring about the state', async () => {
  const activation = (seconds: number) => dateTime(TAG.ActivationDate, seconds);
  const ctx = holding([activation(NOW + 10)], { state: State.PreActive });
  await ask(modifyAttribute, ctx, to(activation(NOW - 1)));
  assert.equal(ctx.objects.get('k')?.state, State.Active);
  await assert.rejects(ask(modifyAttribute, ctx, to(activation(NOW + 10))), refused('WrongKeyLifecycleState'));
  await assert.rejects(ask(addAttribute, ctx, to(dateTime(TAG.ProcessStartDate, NOW - 2))), refused('InvalidAttributeValue'));
  await ask(addAttribute, ctx, to(dateTime(TAG.ProtectStopDate, NOW)));
  await assert.rejects(ask(modifyAttribute, ctx, to(dateTime(TAG.ProtectStopDate, NOW + 5))), refused('WrongKeyLifecycleState'));
  await ask(addAttribute, ctx, to(dateTime(TAG.DeactivationDate, NOW)));
  assert.equal(ctx.objects.get('k')?.state, State.Deactivated);
  await assert.rejects(ask(modifyAttribute, ctx, to(dateTime(TAG.DeactivationDate, NOW + 9))), refused('WrongKeyLifecycleState'));
});

test('an object that was readable has not always been sensitive', async () => {
  const ctx = holding([boolean(TAG.Sensitive, true), boolean(TAG.AlwaysSensitive, true), boolean(TAG.Extractable, false), boolean(TAG.NeverExtractable, true)]);
  await ask(setAttribute, ctx, to(boolean(TAG.Sensitive, false)));
  await ask(modifyAttribute, ctx, to(boolean(TAG.Extractable, true)));
  assert.deepEqual(values(ctx, TAG.AlwaysSensitive), [boolean(TAG.AlwaysSensitive, false)]);
  assert.deepEqual(values(ctx, TAG.NeverExtractable), [boolean(TAG.NeverExtractable, false)]);
});

test('limits of use count from their total, and stay once they are used', async () => {
  const limits = (total: bigint, count?: bigint) =>
    structure(TAG.UsageLimits, [
      longInteger(TAG.UsageLimitsTotal, total),
      ...(count === undefined ? [] : [longInteger(TAG.UsageLimitsCount, count)]),
      enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Byte),
    ]);
  const ctx = holding([]);
  await ask(addAttribute, ctx, to(limits(100n, 1n)));
  await ask(modifyAttribute, ctx, to(limits(50n)));
  assert.deepEqual(values(ctx, TAG.UsageLimits), [limits(50n, 50n)]);
  await ask(setAttribute, ctx, to(structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 40n)])));
  assert.deepEqual(values(ctx, TAG.UsageLimits), [limits(40n, 40n)], 'a total alone does not change the unit');
  const used = holding([limits(50n, 49n)]);
  await assert.rejects(ask(modifyAttribute, used, to(limits(60n))), refused('AttributeReadOnly'));
  await assert.rejects(ask(deleteAttribute, used, reference(TAG.UsageLimits)), refused('AttributeReadOnly'));
});

test('tags are a JSON array of texts, once', async () => {
  const ctx = holding([]);
  await ask(setAttribute, ctx, to(tags('["a"]')));
  await ask(setAttribute, ctx, to(tags('["b","c"]')));
  assert.deepEqual(values(ctx, TAG.Attribute), [tags('["b","c"]')]);
  await assert.rejects(ask(addAttribute, ctx, to(tags('["d"]'))), refused('AttributeSingleValued'));
  for (const bad of ['b', '{}', '[1]', '["_kk"]', '[""]']) await assert.rejects(ask(setAttribute, ctx, to(tags(bad))), refused('InvalidAttributeValue'));
  await assert.rejects(ask(setAttribute, ctx, to(vendor('cosmian', 'tag', integer(TAG.AttributeValue, 1)))), refused('InvalidAttributeValue'));
});

test('a link may name the object that an earlier item made', async () => {
  const ctx = holding([]);
  const link = (target: Node) => structure(TAG.Link, [enumeration(TAG.LinkType, ENUM.LinkType.NextLink), target]);
  const placeholder = enumeration(TAG.LinkedObjectIdentifier, ENUM.UniqueIdentifier.IDPlaceholder);
  await assert.rejects(ask(addAttribute, ctx, to(link(placeholder))), refused('InvalidField'));
  ctx.batch.placeholder = 'other';
  await ask(addAttribute, ctx, to(link(placeholder)));
  assert.deepEqual(values(ctx, TAG.Link), [link(text(TAG.LinkedObjectIdentifier, 'other'))]);
});

test('AdjustAttribute counts within the range of the type', async () => {
  const ctx = holding([vendor('x', 'Count', integer(TAG.AttributeValue, 2 ** 31 - 1))]);
  const adjust = (type: keyof typeof ENUM.AdjustmentType, what: Node, ...by: Node[]) =>
    ask(adjustAttribute, ctx, what, enumeration(TAG.AdjustmentType, ENUM.AdjustmentType[type]), ...by);
  const count = structure(TAG.AttributeReference, [text(TAG.VendorIdentification, 'x'), text(TAG.AttributeName, 'Count')]);
  await assert.rejects(adjust('Increment', count), refused('NumericRange'));
  await adjust('Decrement', count, integer(TAG.AdjustmentValue, 7));
  await adjust('Negate', count);
  assert.deepEqual(values(ctx, TAG.Attribute), [vendor('x', 'Count', integer(TAG.AttributeValue, -(2 ** 31 - 8)))]);
  await adjust('Increment', reference(TAG.RotateInterval), interval(TAG.AdjustmentValue, 60));
  assert.deepEqual(values(ctx, TAG.RotateInterval), [interval(TAG.RotateInterval, 60)]);
  await assert.rejects(adjust('Decrement', reference(TAG.RotateInterval), integer(TAG.AdjustmentValue, 61)), refused('NumericRange'));
  await adjust('Negate', reference(TAG.QuantumSafe));
  assert.deepEqual(values(ctx, TAG.QuantumSafe), [boolean(TAG.QuantumSafe, true)]);
  await assert.rejects(adjust('Increment', reference(TAG.QuantumSafe)), refused('InvalidDataType'));
  await assert.rejects(adjust('Increment', reference(TAG.ActivationDate)), refused('ItemNotFound'));
  await assert.rejects(adjust('Increment', reference(TAG.RotateGeneration)), refused('AttributeReadOnly'));
});

test('an archived object is not changed, and one of somebody else not found', async () => {
  const ctx = holding([]);
  const object = ctx.objects.get('k');
  assert.ok(object);
  object.archived = true;
  await assert.rejects(ask(addAttribute, ctx, to(name('a'))), refused('ObjectArchived'));
  await assert.rejects(ask(addAttribute, holding([], { owner: 'acme/bob' }), to(name('a'))), refused('ObjectNotFound'));
});

test('GetAttributes answers what is asked for, in that order, and leaves out what is not there', async () => {
  const ctx = holding([name('a'), name('b'), custom('ID', '1')]);
  const asked = structure(TAG.AttributeReference, [text(TAG.VendorIdentification, 'x'), text(TAG.AttributeName, 'ID')]);
  const answer = await ask(getAttributes, ctx, asked, reference(TAG.State), reference(TAG.Comment), reference(TAG.Name));
  assert.deepEqual(answer, [id, structure(TAG.Attributes, [custom('ID', '1'), enumeration(TAG.State, State.Active), name('a'), name('b')])]);
  assert.deepEqual(await ask(getAttributes, ctx, reference(TAG.Comment)), [id, structure(TAG.Attributes, [])]);
  await assert.rejects(ask(getAttributes, ctx, reference(TAG.State), reference(TAG.State)), refused('InvalidMessage'));
  await assert.rejects(ask(getAttributes, ctx, reference(TAG.KeyMaterial)), refused('InvalidAttribute'));
  const old = holding([name('a'), name('b')], {}, { version: V1_4 });
  const indexes = structure(TAG.Attributes, [name('a'), integer(TAG.AttributeIndex, 1), name('b')]);
  assert.deepEqual(await ask(getAttributes, old, reference(TAG.Name)), [id, indexes]);
});

test('GetAttributeList names each attribute once', async () => {
  const [first, ...references] = await ask(getAttributeList, holding([name('a'), name('b'), custom('ID', '1'), custom('ID', '2')]));
  assert.deepEqual(first, id);
  assert.equal(references.filter(({ value }) => value === TAG.Name).length, 1);
  const vendors = references.filter(({ value }) => Array.isArray(value));
  assert.deepEqual(vendors, [structure(TAG.AttributeReference, [text(TAG.VendorIdentification, 'x'), text(TAG.AttributeName, 'ID')])]);
  for (const tag of [TAG.UniqueIdentifier, TAG.State, TAG.LeaseTime, TAG.ObjectType]) assert.ok(references.some(({ value }) => value === tag));
});

test.run();
