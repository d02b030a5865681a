// Key material at rest and in the log: sealed for its own object, and in no file and no line as it is.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import { keyBlock, symmetricKey } from '../../../kmip/key-block.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { encodeJson } from '../../../kmip/ttlv/json.ts';
import { boolean, dateTime, enumeration, integer, type Node, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { IS_ON_POSTGRES, postgresFiles } from '../../database.ts';
import { signInAdmin, startServer } from '../../server.ts';
import { encryption, named, startKeyServer } from './key-server.ts';

const { ObjectType, CryptographicAlgorithm } = ENUM;

function registration(key: Uint8Array, ...more: readonly Node[]): Node[] {
  const attributes = structure(TAG.Attributes, [
    enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
    integer(TAG.CryptographicUsageMask, 0x0c),
    dateTime(TAG.ActivationDate, 1),
    ...more,
  ]);
  return [enumeration(TAG.ObjectType, ObjectType.SymmetricKey), attributes, symmetricKey(key, 'AES', key.length * 8)];
}

function password(secret: Uint8Array): Node[] {
  const content = structure(TAG.SecretData, [
    enumeration(TAG.SecretDataType, ENUM.SecretDataType.Password),
    keyBlock({ format: 'Opaque', material: secret, length: secret.length * 8 }),
  ]);
  return [enumeration(TAG.ObjectType, ObjectType.SecretData), structure(TAG.Attributes, []), content];
}

/** A secret in the forms in which it could be found. */
function formsOf(secret: Uint8Array): Buffer[] {
  const bytes = Buffer.from(secret);
  const texts = [bytes.toString('hex'), bytes.toString('hex').toUpperCase(), bytes.toString('base64').replaceAll('=', ''), bytes.toString('base64url')];
  return [bytes, ...texts.map((text) => Buffer.from(text))];
}

function assertNowhere(where: string, content: Buffer, secrets: readonly Uint8Array[]): void {
  for (const [at, secret] of secrets.entries()) for (const form of formsOf(secret)) assert.equal(content.indexOf(form), -1, `secret ${at} is in ${where}`);
}

test('a content copied to another object opens for neither, and the object counts as absent', async () => {
  const server = await startKeyServer({ threads: 1 });
  try {
    const [first, second] = [await server.made('Register', registration(randomBytes(32))), await server.made('Register', registration(randomBytes(32)))];
    await server.store.transaction((tx) =>
      tx.run('UPDATE kms_object SET content = (SELECT content FROM kms_object WHERE id = $1) WHERE id = $2', [first, second]),
    );
    const answer = await server.ask('Get', [named(second)]);
    assert.deepEqual([answer.ok, answer.reason], [false, `Object_Not_Found: object not found for identifier ${second}`]);
    assert.ok((await server.ask('Get', [named(first)])).ok);
    await server.store.transaction((tx) => tx.run("UPDATE kms_object SET id = 'renamed' WHERE id = $1", [first]));
    assert.equal((await server.ask('Get', [named('renamed')])).ok, false);
  } finally {
    await server.end();
  }
});

/** @returns nothing of a file that is gone meanwhile: PostgreSQL writes caches of its catalog anew */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

test('no secret is in the files of the database or in the log of a server that tells everything', async () => {
  const secrets = [randomBytes(32), randomBytes(32), randomBytes(24)];
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sealed-'));
  const server = await startServer({ config: '[log]\nlevel = "debug"\n', dataDir: join(folder, 'data') });
  try {
    const cookie = await signInAdmin(server);
    const ask = async (operation: keyof typeof ENUM.Operation, members: readonly Node[], type = 'application/json') => {
      const body = Buffer.from(encodeJson(structure(TAG.RequestPayload, members), operation)).toString();
      return server.ask('POST', '/kmip/2_1', { cookie, body, headers: { 'content-type': type } });
    };
    const ids = [];
    for (const secret of secrets.slice(0, 2)) ids.push((await ask('Register', registration(secret))).body.value[0].value as string);
    ids.push((await ask('Register', password(secrets[2] as Buffer))).body.value[0].value as string);
    for (const [at, id] of ids.entries()) {
      const got = await ask('Get', [named(id)]);
      assert.equal(got.status, 200, got.text);
      assert.ok(got.text.toLowerCase().includes((secrets[at] as Buffer).toString('hex')), 'it is looked for in the right form');
      // What fails must not tell either: the same identifier again, and a key of the wrong kind for its use.
      assert.equal((await ask('Register', registration(secrets[at] as Buffer, boolean(TAG.Sensitive, true)))).status, 200);
      await ask('Sign', [named(id)]);
      await ask('ReKey', [named(id)]);
      await ask('Encrypt', encryption(id));
    }
    const token = await server.ask('POST', '/v1/crypto/keys', {
      cookie,
      body: { kty: 'oct', alg: 'A256GCM', k: (secrets[0] as Buffer).toString('base64url') },
    });
    assert.ok(token.status < 500, token.text);
    const places = [join(folder, 'data'), ...(IS_ON_POSTGRES ? [await postgresFiles()] : [])];
    const files = places.flatMap((place) => readdirSync(place, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const isLog = ({ name, parentPath }: (typeof files)[number]) => (IS_ON_POSTGRES ? parentPath.endsWith('pg_wal') : name.endsWith('-wal'));
    assert.ok(files.some(isLog) && files.length >= 2, 'the log of the database is looked at as well');
    for (const { name, parentPath } of files) assertNowhere(name, bytesOf(join(parentPath, name)), secrets);
    assert.ok(server.lines.length > 0);
    assertNowhere('the log', Buffer.from(server.lines.map((line) => JSON.stringify(line)).join('\n')), secrets);
  } finally {
    await server.end();
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
