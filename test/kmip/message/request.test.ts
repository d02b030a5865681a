// What a message may hold, and how often, and how long a refusal is.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { checkVersion } from '../../../kmip/message/legacy.ts';
import { readHeader, readItems } from '../../../kmip/message/request.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, dateTime, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]);
const header = structure(TAG.RequestHeader, [version, integer(TAG.BatchCount, 1)]);
const members = [enumeration(TAG.Operation, ENUM.Operation.Query), bytes(TAG.UniqueBatchItemID, new Uint8Array(1)), structure(TAG.RequestPayload, [])];
const item = structure(TAG.BatchItem, members);
const read = (...parts: readonly Structure[]) => {
  const message = structure(TAG.RequestMessage, parts);
  return readItems(message, readHeader(message));
};
const withHeader = (...more: readonly Node[]) => read(structure(header.tag, [...header.value, ...more]), item);
const twice = (error: unknown) => error instanceof Refusal && error.reason === 'InvalidMessage' && /must have \w+ only once/.test(error.message);

test('header, version, count, operation, identifier and payload are there once', () => {
  assert.equal(read(header, item).length, 1);
  assert.throws(() => read(header, header, item), twice);
  for (const member of header.value) assert.throws(() => read(structure(header.tag, [...header.value, member]), item), twice);
  for (const member of members) assert.throws(() => read(header, structure(item.tag, [...members, member])), twice);
});

test('a message holds its header and its items, and nothing beside them', () => {
  for (const stray of [integer(TAG.BatchCount, 1), structure(TAG.ResponseHeader, []), boolean(0x540001, true), text(TAG.BatchItem, 'x')] as Structure[])
    for (const parts of [
      [stray, header, item],
      [header, stray, item],
      [header, item, stray],
    ])
      assert.throws(() => read(...parts), { reason: 'InvalidMessage', message: /^RequestMessage has no |^BatchItem is TextString/ });
});

test('header and items hold only what they have, of its type', () => {
  const { Optional } = ENUM.AsynchronousIndicator;
  const good = [
    [integer(TAG.MaximumResponseSize, 0), text(TAG.ClientCorrelationValue, 'x'), dateTime(TAG.TimeStamp, 1), boolean(TAG.BatchOrderOption, false)],
    [enumeration(TAG.AttestationType, 1), enumeration(TAG.AttestationType, 2), boolean(TAG.AttestationCapableIndicator, true)],
    [enumeration(TAG.AsynchronousIndicator, Optional), text(TAG.ServerCorrelationValue, 'x')],
    [boolean(TAG.AsynchronousIndicator, true)],
  ];
  for (const members of good) assert.equal(withHeader(...members).length, 1);
  const bad: readonly (readonly [Node, RegExp])[] = [
    [text(TAG.Comment, 'x'), /RequestHeader has no Comment/],
    [integer(TAG.BatchOrderOption, 1), /BatchOrderOption is Integer, not Boolean/],
    [text(TAG.TimeStamp, 'now'), /TimeStamp is TextString, not DateTime/],
    [integer(TAG.AsynchronousIndicator, 1), /AsynchronousIndicator is Integer/],
    [enumeration(TAG.AsynchronousIndicator, 9), /AsynchronousIndicator has no value/],
    [integer(TAG.MaximumResponseSize, -1), /negative/],
    [text(TAG.Authentication, 'x'), /Authentication is TextString, not Structure/],
  ];
  for (const [member, said] of bad) assert.throws(() => withHeader(member), said);
  assert.throws(() => withHeader(boolean(TAG.BatchOrderOption, true), boolean(TAG.BatchOrderOption, true)), twice);
  const three = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 3), integer(TAG.ProtocolVersionMinor, 1)]);
  const unsupported = structure(header.tag, [three, text(TAG.Comment, 'x'), integer(TAG.BatchCount, 1)]);
  assert.throws(() => read(unsupported, item), /KMIP 3\.1 is not supported/);
  for (const member of [text(TAG.Comment, 'x'), text(TAG.MessageExtension, 'x'), integer(TAG.Ephemeral, 1)])
    assert.throws(
      () => read(header, structure(item.tag, [...item.value, member])),
      (error: unknown) => error instanceof Refusal && error.reason === 'InvalidMessage',
    );
});

test('a field that the version does not have is an InvalidField in KMIP 1.x, wherever it stands', () => {
  const older = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 1), integer(TAG.ProtocolVersionMinor, 2)]);
  const [count, stray] = [integer(TAG.BatchCount, 1), text(TAG.Comment, 'x')];
  const holding = (...more: readonly Node[]) => structure(header.tag, [older, count, ...more]);
  const vendors = [text(TAG.VendorIdentification, 'v'), boolean(TAG.CriticalityIndicator, false), structure(TAG.VendorExtension, [])];
  const extension = structure(TAG.MessageExtension, [...vendors, stray]);
  for (const parts of [
    [holding(stray), item],
    [structure(header.tag, [structure(older.tag, [...older.value, stray]), count]), item],
    [holding(), structure(item.tag, [...members, stray])],
    [holding(), structure(item.tag, [...members, extension])],
    [holding(), item, stray as never],
  ])
    assert.throws(() => read(...parts), { reason: 'InvalidField', message: /has no (field )?Comment/ });
  assert.throws(() => checkVersion('Locate', structure(TAG.RequestPayload, [integer(TAG.LocatedItems, 1)]), { major: 1, minor: 2 }), {
    reason: 'InvalidField',
  });
});

test('a field of the header or an item that came later is refused in the versions before', () => {
  const inVersion = (major: number, minor: number, ofHeader: readonly Node[], ofItem: readonly Node[]) => {
    const spoken = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, major), integer(TAG.ProtocolVersionMinor, minor)]);
    return read(structure(header.tag, [spoken, ...ofHeader, integer(TAG.BatchCount, 1)]), structure(item.tag, [...members, ...ofItem]));
  };
  const [correlation, ephemeral] = [text(TAG.ClientCorrelationValue, 'x'), boolean(TAG.Ephemeral, true)];
  assert.equal(inVersion(1, 4, [correlation], []).length, 1);
  assert.throws(() => inVersion(1, 3, [correlation], []), { reason: 'InvalidField', message: 'RequestHeader of KMIP 1.3 has no ClientCorrelationValue' });
  assert.throws(() => inVersion(1, 1, [boolean(TAG.AttestationCapableIndicator, false)], []), { reason: 'InvalidField' });
  assert.equal(inVersion(2, 0, [], [ephemeral]).length, 1);
  assert.throws(() => inVersion(1, 4, [], [ephemeral]), { reason: 'InvalidField', message: 'BatchItem of KMIP 1.4 has no Ephemeral' });
});

test('a MessageExtension has its three members, once each', () => {
  const members = [text(TAG.VendorIdentification, 'v'), boolean(TAG.CriticalityIndicator, false), structure(TAG.VendorExtension, [text(TAG.Comment, 'x')])];
  const withExtension = (...inside: Node[]) => read(header, structure(item.tag, [...item.value, structure(TAG.MessageExtension, inside)]));
  assert.equal(withExtension(...members)[0]?.refusal, undefined);
  const malformed = (error: unknown) => error instanceof Refusal && error.reason === 'InvalidMessage';
  for (const [at, member] of members.entries()) {
    assert.throws(() => withExtension(...members.filter((_, other) => other !== at)), malformed);
    assert.throws(() => withExtension(...members, member), malformed);
  }
  assert.throws(() => withExtension(...members, text(TAG.Comment, 'x')), malformed);
});

test('an item has several MessageExtensions in KMIP 2.x, and one in KMIP 1.x', () => {
  const vendors = [text(TAG.VendorIdentification, 'v'), boolean(TAG.CriticalityIndicator, false), structure(TAG.VendorExtension, [])];
  const extension = structure(TAG.MessageExtension, vendors);
  const inVersion = (major: number, ...more: Node[]) => {
    const spoken = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, major), integer(TAG.ProtocolVersionMinor, 0)]);
    return read(structure(header.tag, [spoken, integer(TAG.BatchCount, 1)]), structure(item.tag, [...members, ...more])).length;
  };
  assert.deepEqual([inVersion(1, extension), inVersion(2, extension, extension), inVersion(3, extension, extension)], [1, 1, 1]);
  assert.throws(() => inVersion(1, extension, extension), { reason: 'InvalidMessage', message: /must have MessageExtension only once/ });
});

test('what is in the structures of the header is known, and there once', () => {
  const version = (header.value.find(({ tag }) => tag === TAG.ProtocolVersion) as Structure).value;
  const others = header.value.filter(({ tag }) => tag !== TAG.ProtocolVersion);
  const malformed = (error: unknown) => error instanceof Refusal && error.reason === 'InvalidMessage';
  for (const more of [integer(TAG.ProtocolVersionMinor, 0), text(TAG.Comment, 'x')])
    assert.throws(() => read(structure(header.tag, [structure(TAG.ProtocolVersion, [...version, more]), ...others]), item), malformed);
  const password = [text(TAG.Username, 'ann'), text(TAG.Password, 'x')];
  const credential = (value: readonly Node[], ...more: Node[]) =>
    structure(TAG.Credential, [enumeration(TAG.CredentialType, 1), structure(TAG.CredentialValue, value), ...more]);
  const withCredential = (...inside: Node[]) => withHeader(structure(TAG.Authentication, inside));
  assert.equal(withCredential(credential(password), credential(password)).length, 1);
  for (const bad of [
    [credential([...password, text(TAG.Username, 'bob')])],
    [credential([...password, text(TAG.Comment, 'x')])],
    [credential(password, enumeration(TAG.CredentialType, 1))],
    [credential(password), text(TAG.Comment, 'x')],
  ])
    assert.throws(() => withCredential(...bad), malformed);
});

test('a ticket is a credential of KMIP 2.0 and later, and all that its credential has', () => {
  const [type, value] = [enumeration(TAG.TicketType, ENUM.TicketType.Login), bytes(TAG.TicketValue, new Uint8Array(32))];
  const ticket = structure(TAG.Ticket, [type, value]);
  const inVersion = (major: number, minor: number, ...inside: Node[]) => {
    const spoken = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, major), integer(TAG.ProtocolVersionMinor, minor)]);
    const kind = enumeration(TAG.CredentialType, ENUM.CredentialType.Ticket);
    const carrying = structure(TAG.Authentication, [structure(TAG.Credential, [kind, structure(TAG.CredentialValue, inside)])]);
    return read(structure(header.tag, [spoken, carrying, integer(TAG.BatchCount, 1)]), item).length;
  };
  assert.deepEqual([inVersion(2, 0, ticket), inVersion(3, 0, ticket)], [1, 1]);
  assert.throws(() => inVersion(1, 4, ticket), { reason: 'InvalidField', message: 'Credential of KMIP 1.4 has no Ticket' });
  const [twice, stray] = [structure(TAG.Ticket, [type, value, value]), structure(TAG.Ticket, [type, value, text(TAG.Comment, 'x')])];
  for (const bad of [[ticket, ticket], [ticket, text(TAG.Comment, 'x')], [twice], [stray], []])
    assert.throws(() => inVersion(2, 1, ...bad), { reason: 'InvalidMessage' });
});

test('a refusal that repeats what the client sent is cut', () => {
  assert.equal(new Refusal('ItemNotFound', 'x'.repeat(2_000)).message.length, 2_000);
  assert.equal(new Refusal('ItemNotFound', 'x'.repeat(2 ** 20)).message.length, 2_001);
  assert.ok(new Refusal('ItemNotFound', `x${'😀'.repeat(2_000)}`).message.isWellFormed());
});

test.run();
