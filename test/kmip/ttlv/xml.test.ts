// The XML encoding: how it is written, what is read beside that, and which parts of XML are refused.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import * as make from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { decodeXml, encodeXml } from '../../../kmip/ttlv/xml.ts';
import { plain } from './trees.ts';

const read = (text: string) => decodeXml(new TextEncoder().encode(text));
const field = (text: string) => {
  const node = read(`<RequestMessage>${text}</RequestMessage>`).value[0] as make.Node;
  return node.type === make.TYPE.ByteString ? [...node.value] : node.value;
};
const refused = (text: string, message?: RegExp) => assert.throws(() => read(text), { reason: 'InvalidMessage', ...(message && { message }) }, text);

test('every type as it is written', () => {
  const tree = make.structure(TAG.RequestMessage, [
    make.integer(TAG.BatchCount, -1),
    make.integer(TAG.CryptographicUsageMask, 12),
    make.integer(TAG.CryptographicUsageMask, 0),
    make.integer(TAG.CryptographicUsageMask, -(2 ** 31) + 4),
    make.longInteger(TAG.UsageLimitsTotal, -5n),
    make.bigInteger(TAG.Modulus, 255n),
    make.enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm.SHA_256),
    make.enumeration(TAG.OpaqueDataType, 0x80000001),
    make.boolean(TAG.Fresh, true),
    make.text(TAG.NameValue, ' <a> "b" & \'c\'\n\t\r'),
    make.bytes(TAG.Data, new Uint8Array([0, 0xab])),
    make.dateTime(TAG.ActivationDate, 1_704_164_645),
    make.interval(TAG.LeaseTime, 3600),
    make.dateTimeExtended(TAG.TimeStamp, 1n),
    make.boolean(0x54aaaa, false),
    make.structure(0x54aaab, [make.structure(TAG.Attributes, [])]),
  ]);
  const bytes = encodeXml(tree);
  assert.equal(
    new TextDecoder().decode(bytes),
    '<RequestMessage><BatchCount type="Integer" value="-1"/><CryptographicUsageMask type="Integer" value="Encrypt Decrypt"/>' +
      '<CryptographicUsageMask type="Integer" value="0"/><CryptographicUsageMask type="Integer" value="-2147483644"/>' +
      '<UsageLimitsTotal type="LongInteger" value="-5"/><Modulus type="BigInteger" value="00000000000000FF"/>' +
      '<HashingAlgorithm type="Enumeration" value="SHA_256"/><OpaqueDataType type="Enumeration" value="0x80000001"/>' +
      '<Fresh type="Boolean" value="true"/><NameValue type="TextString" value=" &lt;a&gt; &quot;b&quot; &amp; \'c\'&#xA;&#x9;&#xD;"/>' +
      '<Data type="ByteString" value="00AB"/><ActivationDate type="DateTime" value="2024-01-02T03:04:05Z"/><LeaseTime type="Interval" value="3600"/>' +
      '<TimeStamp type="DateTimeExtended" value="1970-01-01T00:00:00.000001Z"/><TTLV tag="0x54AAAA" type="Boolean" value="false"/>' +
      '<TTLV tag="0x54AAAB"><Attributes></Attributes></TTLV></RequestMessage>',
  );
  assert.deepEqual(plain(read(new TextDecoder().decode(bytes))), plain(tree));
});

test('values in the other forms', () => {
  assert.equal(field('<CryptographicUsageMask type="Integer" value="0x0000000C"/>'), 12);
  assert.equal(field('<CryptographicUsageMask type="Integer" value="Decrypt Encrypt"/>'), 12);
  assert.equal(field('<Modulus type="BigInteger" value="0xFFFFFFFFFFFFFFFF"/>'), -1n);
  assert.equal(field('<Modulus type="BigInteger" value="10"/>'), 16n);
  assert.equal(field('<UsageLimitsTotal type="LongInteger" value="0x0000000000000010"/>'), 16n);
  assert.equal(field('<ActivationDate type="DateTime" value="1970-01-01T00:00:06+00:00"/>'), 6);
  assert.equal(field('<TimeStamp type="DateTimeExtended" value="0x0000000000000010"/>'), 16n);
  assert.equal(field('<Operation type="Enumeration" value="0x00000001"/>'), 1);
  assert.deepEqual(field("<TTLV tag = '0x4200C2' name=\"Data\" type='ByteString' value='ab'></TTLV>"), [0xab]);
  assert.equal(field('<NameValue type="TextString" value="&#65;&#x1F600;&apos;&quot;\n\r\nx"/>'), 'A😀\'"  x');
});

test('the value of a 1.x attribute is read and written by its name', () => {
  const text =
    '<Attribute><AttributeValue type="Enumeration" value="AES"/><AttributeName type="TextString" value="Cryptographic Algorithm"/></Attribute>' +
    '<Attribute><AttributeName type="TextString" value="Cryptographic Usage Mask"/><AttributeValue type="Integer" value="Sign"/></Attribute>';
  const tree = read(`<TemplateAttribute>${text}</TemplateAttribute>`);
  assert.equal((tree.value[0] as make.Structure).value[0]?.value, 3);
  assert.equal(new TextDecoder().decode(encodeXml(tree)), `<TemplateAttribute>${text}</TemplateAttribute>`);
});

test('what may stand around elements', () => {
  const tree = make.structure(TAG.RequestMessage, [make.boolean(TAG.Fresh, true)]);
  for (const text of [
    '<?xml version="1.0" encoding="UTF-8"?>\n<!-- a --><RequestMessage>\n  <!-- <b> -->\n  <Fresh type="Boolean" value="true" />\r\n</RequestMessage >\n<!-- c -->\n',
    '\ufeff<RequestMessage xmlns="urn:x" type="Structure"><Fresh type="Boolean" value="1"></Fresh></RequestMessage>',
  ])
    assert.deepEqual(read(text), tree);
});

test('what of XML is refused', () => {
  refused('');
  refused('<!DOCTYPE x [<!ENTITY a "b">]><RequestMessage></RequestMessage>', /document types/);
  refused('<RequestMessage><![CDATA[x]]></RequestMessage>', /CDATA/);
  refused('<RequestMessage><?php x?></RequestMessage>', /processing instructions/);
  refused('<RequestMessage>text</RequestMessage>', /expected an element/);
  refused('<RequestMessage/><RequestMessage/>', /content after the end/);
  refused('<RequestMessage></BatchItem>', /expected <\/RequestMessage>/);
  refused('<RequestMessage>');
  refused('</RequestMessage>');
  refused('<RequestMessage a="1" a="2"/>', /each attribute only once/);
  refused('<RequestMessage a=1/>', /attribute or the end/);
  refused('<RequestMessage a="1"b="2"/>', /attribute or the end/);
  refused('<RequestMessage a="<"/>');
  refused('<RequestMessage><!-- -- --></RequestMessage>', /comment/);
  const value = (text: string) => `<RequestMessage><NameValue type="TextString" value="${text}"/></RequestMessage>`;
  for (const text of ['&lol;', '&', '&#0;', '&#xD800;', '&#x110000;', '&#9999999;', '\u0001', '&#xFFFE;', '&amp']) refused(value(text));
  refused(value('&lt;'.repeat(300_000)), /too many references/);
  refused(`<RequestMessage ${Array.from({ length: 17 }, (_, index) => `a${index}="1"`).join(' ')}/>`, /at most 16 attributes/);
  assert.throws(() => decodeXml(new Uint8Array([0x3c, 0xc3, 0x28])), { message: /not UTF-8/ });
  refused('<RequestMessage><ObjectGroup value="a"/></RequestMessage>', /ObjectGroup: the field has no type$/);
  refused('<RequestMessage><ObjectGroup type="Structure" value="a"/></RequestMessage>', /a Structure has child elements/);
});

test('refusals tell the place and no values', () => {
  const inside = (text: string) => `<RequestMessage><BatchItem>${text}</BatchItem></RequestMessage>`;
  refused(inside('<NoSuch type="Integer" value="1"/>'), /^RequestMessage\/BatchItem: unknown tag: "NoSuch"$/);
  refused(inside('<TTLV type="Integer" value="1"/>'), /unknown tag: ""/);
  refused(inside('<Data type="Bytes" value="1"/>'), /^RequestMessage\/BatchItem\/Data: unknown type: "Bytes"$/);
  refused(inside('<Data type="ByteString" value="secret"/>'), /^RequestMessage\/BatchItem\/Data: the value is not a valid ByteString$/);
  refused(inside('<Data type="ByteString"/>'), /a field must have a value/);
  refused(inside('<Data type="ByteString" value="00"><Data/></Data>'), /no child elements/);
  refused(inside('<Operation type="Enumeration" value="Nothing"/>'), /^RequestMessage\/BatchItem\/Operation: unknown value: "Nothing"$/);
  refused('<Fresh type="Boolean" value="true"/>', /a message must be a Structure/);
});

test('characters that XML cannot write are replaced', () => {
  const tree = make.structure(TAG.Name, [make.text(TAG.NameValue, 'a\u0000\u001b\ufffe')]);
  assert.equal(read(new TextDecoder().decode(encodeXml(tree))).value[0]?.value, 'a\ufffd\ufffd\ufffd');
});

test.run();
