// The seam for keys: key material is opened for cryptography in the folders of the kinds of keys, and who else comes near it stands here with its reason.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const files = globSync('actors/kmip/**/*.ts', { cwd: root }).sort();
const text = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

const FOLDER = 'actors/kmip/object/software-key/';
/** Keys on tokens. What clients bring is opened as software before a token takes it, and public keys work in software. */
const TOKENS = 'actors/kmip/object/hsm-key/';
const isKind = (file: string): boolean => file.startsWith(FOLDER) || file.startsWith(TOKENS);

/** Files outside of the folders that a pattern is found in, without comments. */
function filesWith(pattern: RegExp): string[] {
  const code = (file: string) => (text.get(file) as string).replace(/^\s*(\/\/|\/?\*).*$/gm, '');
  return files.filter((file) => !isKind(file) && pattern.test(code(file))).map((file) => file.slice('actors/kmip/'.length));
}

/** Names that a file imports at run time from a file of the tree, or from node:crypto. */
function importedFrom(file: string, target: RegExp): string[] {
  return [...(text.get(file) as string).matchAll(/^import \{([^}]*)\} from '([^']*)';/gm)].flatMap(([, names = '', from = '']) => {
    const path = from.startsWith('.') ? normalize(join(dirname(file), from)) : from;
    if (!target.test(path)) return [];
    return names.split(',').flatMap((name) => (name.trim() === '' || name.trim().startsWith('type ') ? [] : [name.trim().split(' ')[0] as string]));
  });
}

test('key material is opened in one file, which nobody outside of its folder imports', () => {
  const openers = files.filter((file) => file.startsWith(FOLDER) && /\bkeyBlockOf\(|\bimportKey\(|\bcreateSecretKey\(/.test(text.get(file) as string));
  assert.deepEqual(openers, [`${FOLDER}material.ts`]);
  assert.deepEqual(
    files.filter((file) => !isKind(file) && importedFrom(file, /software-key\/(?!(software|quick)-keys?\.ts)/).length > 0),
    [],
  );
  assert.deepEqual(filesWith(/software-key\/(software|quick)-keys?\.ts/).sort(), ['kmip.actor.ts', 'kmip.beside.ts']);
});

test('keys are read from bytes elsewhere only where clients bring them, and for the Digest of new ones', () => {
  assert.deepEqual(filesWith(/\b(importKey|createPrivateKey|createSecretKey)\(/), [
    'jose/elliptic-key.ts',
    'jose/ml-dsa-key.ts',
    'jose/rsa-key.ts',
    'object/attributes/digest.ts',
    'object/registered.ts',
  ]);
});

/** What node:crypto does with a key. Hashes, random bytes, new pairs and public keys that came with a message are no such thing. */
const WITH_KEYS = new Set([
  ...['createCipheriv', 'createDecipheriv', 'createHmac', 'createSign', 'createVerify', 'sign', 'verify', 'diffieHellman', 'createECDH'],
  ...['publicEncrypt', 'publicDecrypt', 'privateEncrypt', 'privateDecrypt', 'encapsulate', 'decapsulate', 'hkdf', 'hkdfSync', 'pbkdf2', 'pbkdf2Sync'],
]);

test('nobody else has node:crypto work with a key', () => {
  const offenders = files.filter((file) => importedFrom(file, /^node:crypto$/).some((name) => WITH_KEYS.has(name)));
  assert.deepEqual(offenders, []);
});

/** What the algorithms do with a key. */
const ALGORITHMS = /crypto\/(cipher\/|signature\/|format-preserving\/ff1|derivation\/|key\/key-agreement)|crypto\/format-preserving\/fpe\.ts/;
const PURE = new Set(['fpeParametersFrom', 'hashOfHmac', 'hashOfSignature']);

test('nobody else runs the algorithms, but for keys that are made for one message', () => {
  const runs = files.filter((file) => !isKind(file) && importedFrom(file, ALGORITHMS).some((name) => !PURE.has(name)));
  assert.deepEqual(runs, [
    'actors/kmip/jose/encrypt.ts', // Agreement of an ephemeral key.
    'actors/kmip/jose/key-wrap.ts', // The key that was agreed on.
    'actors/kmip/jose/sealing.ts', // The content encryption key of one message.
  ]);
});

test('the content of a key is read as an object by those who take it in, give it out, or describe it', () => {
  assert.deepEqual(
    filesWith(/\bkeyBlockOf\(/),
    [
      'creation/replacement-key.ts', // The format of a replacement is that of the old key.
      'object/attributes/digest.ts', // The Digest attribute.
      'object/attributes/encapsulated.ts', // Attributes inside the KeyValue.
      'object/forms/format.ts', // Get and Export.
      'object/forms/given-out.ts', // Get and Export.
      'object/forms/pkcs12-export.ts', // Get and Export.
      'object/forms/pkcs12-import.ts', // Register and Import.
      'object/registered.ts', // Register and Import.
      'object/wrapping/rewrapping.ts', // Whether an object is stored wrapped, and how.
      'object/forms/split-key.ts', // Parts of keys, which are objects of their own.
      'object/wrapping/wrapping.ts', // The bytes that another key wraps.
      'operations/create-split-key.ts', // Format and length of what is split.
    ].sort(),
  );
});

test('a key leaves its place for those who give it out, split it, or use it as data', () => {
  assert.deepEqual(filesWith(/\.material\(\)/), [
    'object/forms/format.ts', // In another key format.
    'object/forms/given-out.ts', // From a token that gives it.
    'object/forms/pkcs12-export.ts', // In a file.
    'object/forms/pkcs12-password.ts', // The password of a file.
    'operations/create-split-key.ts', // In parts.
    'use/derivation.ts', // Secret data as derivation data.
  ]);
});

test('only the kind of keys on tokens talks to the actors of HSMs', () => {
  const talkers = files.filter((file) => !file.startsWith(TOKENS) && /\bHsmApi\b/.test(text.get(file) as string));
  assert.deepEqual(talkers, ['actors/kmip/kmip.actor.ts', 'actors/kmip/kmip.beside.ts']);
});

test('usage limits are taken from in one place', () => {
  assert.deepEqual(filesWith(/\bspendUsage\(|\.has\(TAG\.UsageLimits\)/), ['object/life/usage-limits.ts', 'use/use-key.ts']);
  assert.deepEqual(filesWith(/\bspendWrapping\(/), ['object/life/usage-limits.ts', 'object/wrapping/wrapping.ts']);
  assert.deepEqual(filesWith(/\btakeUse\(/), ['certificate/issuer.ts', 'object/life/usage-limits.ts', 'operations/derive-key.ts']);
});

test.run();
