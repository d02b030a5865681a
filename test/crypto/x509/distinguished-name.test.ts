// Names of certificates in every string type that they may have.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { DER, element, oid, sequence } from '../../../crypto/der.ts';
import { nameText, readName } from '../../../crypto/x509/distinguished-name.ts';

const named = (tag: number, hex: string): Buffer => sequence(element(DER.set, sequence(oid('2.5.4.3'), element(tag, Buffer.from(hex, 'hex')))));

test('each string type is read as the text that it has', () => {
  for (const [tag, hex, text] of [
    [DER.utf8, 'c384f09f9880', '\u00c4\u{1f600}'],
    [DER.printable, '4142', 'AB'],
    [DER.teletex, 'c4', '\u00c4'],
    [DER.bmp, '00c420ac', '\u00c4\u20ac'],
    [DER.universal, '00000041000000c40001f600', 'A\u00c4\u{1f600}'],
    [DER.universal, '', ''],
  ] as const)
    assert.deepEqual(readName(named(tag, hex)), { CN: [text] });
  assert.equal(nameText(named(DER.universal, '0000004100000042')), 'CN=AB');
});

test('a UniversalString of what are no characters is refused', () => {
  for (const hex of ['000000', '0000004100', '00110000', '0000d800', 'ffffffff'])
    assert.throws(() => readName(named(DER.universal, hex)), /malformed UniversalString/, hex);
});

test.run();
