// The identifiers that clients may choose for new objects: what a request would read as something else is none.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { identifierText, requireChosen } from '../../../../actors/kmip/object/finding/identifier.ts';
import { structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';

const named = (id: string): string =>
  identifierText(structure(TAG.RequestPayload, [text(TAG.UniqueIdentifier, id)]), TAG.UniqueIdentifier, { placeholder: 'another', made: new Map() });

test('an object is found again by each identifier that a client may choose for it', () => {
  for (const id of ['a', ' ', '..', 'a/b', 'é', 'a@latest', 'idplaceholder', 'x'.repeat(128)]) assert.equal(named(requireChosen(id)), id);
});

test('identifiers that stand for something else are refused', () => {
  for (const id of ['', '*', '[', '["tag"]', 'a\nb', '\0', 'x'.repeat(129)]) assert.throws(() => requireChosen(id), /a unique identifier must/, id);
  assert.equal(named('IDPlaceholder'), 'another');
  assert.throws(() => named(''), { message: 'UniqueIdentifier must not be empty' });
  assert.throws(() => requireChosen('IDPlaceholder'), /nor be \* or IDPlaceholder/);
});

test.run();
