// Envelopes: opened by openssl alone as docs/command-line.md says, whatever their length, and every change of them found.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'uvu';
import { CHUNK_BYTES, EnvelopeError, openEnvelope, sealEnvelope } from '../../client/envelope.ts';
import { blocks, type Shell, type SignedIn, signedInShell } from './shell.ts';

let signedIn: SignedIn;
let bash: Shell;
test.before(async () => {
  signedIn = await signedInShell('gatehouse key create aes-256 --name files');
  bash = signedIn.bash;
});
test.after(() => signedIn.end());

/** Bytes that do not repeat, without a large buffer. */
function* bytes(length: number): Generator<Buffer> {
  for (let at = 0; at < length; at += 65_536) {
    const block = createHash('shake128', { outputLength: 65_536 }).update(`${at}`).digest();
    yield block.subarray(0, Math.min(65_536, length - at));
  }
}

for (const size of [1_200_000, 3 * CHUNK_BYTES - 16])
  test(`openssl and the data key open an envelope of ${size} bytes as the page says, and find a changed one`, async () => {
    const cookie = (JSON.parse(readFileSync(join(bash.folder, 'profiles', 'default.json'), 'utf8')) as { cookie: string }).cookie;
    writeFileSync(join(bash.folder, 'jar'), `127.0.0.1\tFALSE\t/\tTRUE\t0\t_ea_\t${cookie}\n`);
    writeFileSync(join(bash.folder, 'plain'), Buffer.concat([...bytes(size)]));
    rmSync(join(bash.folder, 'sealed'), { force: true });
    const whole = await bash.run(`gatehouse key encrypt files < plain > sealed\n${blocks('openssl')}\ncmp plain opened && echo same; ls`);
    assert.equal(whole.code, 0, whole.stderr + whole.stdout);
    assert.match(whole.stdout, /^same$/m);
    assert.doesNotMatch(whole.stdout, /data-key/);
    const sealed = readFileSync(join(bash.folder, 'sealed'));
    writeFileSync(join(bash.folder, 'sealed'), sealed.with(-40, (sealed.at(-40) as number) ^ 1));
    const changed = await bash.run(blocks('openssl'));
    assert.notEqual(changed.code, 0);
    assert.match(changed.stderr, /chunk \d is wrong/);
  });

const sealedWith = async (data: Buffer, piece = 100_000): Promise<{ all: Buffer; key: Uint8Array }> => {
  let key: Uint8Array = new Uint8Array();
  const source = Readable.from(Array.from({ length: Math.ceil(data.length / piece) }, (_, at) => data.subarray(at * piece, (at + 1) * piece)));
  const parts: Uint8Array[] = [];
  const seal = async (dataKey: Uint8Array) => {
    key = dataKey;
    return '{}';
  };
  for await (const part of sealEnvelope(source, seal)) parts.push(part);
  return { all: Buffer.concat(parts), key };
};

async function opened(all: Uint8Array, key: Uint8Array): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of openEnvelope(Readable.from([all]), async () => key)) parts.push(part);
  return Buffer.concat(parts);
}

test('every length around the borders of chunks comes back, however the bytes arrive', async () => {
  for (const length of [0, 1, 15, 16, 17, CHUNK_BYTES - 17, CHUNK_BYTES - 16, CHUNK_BYTES - 15, 2 * CHUNK_BYTES - 16, 2 * CHUNK_BYTES - 15]) {
    const data = Buffer.concat([...bytes(length)]);
    const { all, key } = await sealedWith(data, 77_777);
    assert.ok((await opened(all, key)).equals(data), `${length}`);
  }
});

test('a changed, shortened, reordered, repeated or extended envelope is refused', async () => {
  const { all, key } = await sealedWith(Buffer.concat([...bytes(3 * CHUNK_BYTES)]));
  const head = all.indexOf('\n', all.indexOf('\n') + 1) + 1;
  const size = CHUNK_BYTES + 32;
  const chunk = (at: number) => all.subarray(head + at * size, head + (at + 1) * size);
  const begin = all.subarray(0, head);
  assert.equal((await opened(all, key)).length, 3 * CHUNK_BYTES);
  const changed = Buffer.from(all);
  changed[head + size + 5] = (changed[head + size + 5] as number) ^ 1;
  const hostile: Readonly<Record<string, Uint8Array>> = {
    'a changed byte': changed,
    'without its last chunk': Buffer.concat([begin, chunk(0), chunk(1), chunk(2)]),
    'without its last byte': all.subarray(0, -1),
    'the first chunk alone': Buffer.concat([begin, chunk(0)]),
    'two chunks in the other order': Buffer.concat([begin, chunk(0), chunk(2), chunk(1), chunk(3)]),
    'a chunk twice': Buffer.concat([begin, chunk(0), chunk(1), chunk(1), chunk(2), chunk(3)]),
    'a chunk left out': Buffer.concat([begin, chunk(0), chunk(2), chunk(3)]),
    'a byte more': Buffer.concat([all, Buffer.from([0])]),
    'no chunk at all': begin,
    'half a header': all.subarray(0, head - 1),
    'another first line': Buffer.concat([Buffer.from('gatehouse-envelope-2\n'), all.subarray(all.indexOf('\n') + 1)]),
  };
  for (const [name, envelope] of Object.entries(hostile)) await assert.rejects(opened(envelope, key), EnvelopeError, name);
});

test('a cut envelope leaves no file, an existing file stays, a foreign data key is refused', async () => {
  const { code, stderr } = await bash.run(`head -c 1500000 /dev/zero > zeros; gatehouse key encrypt files zeros -o zeros.sealed
    head -c 1200000 zeros.sealed > cut; gatehouse key decrypt cut -o cut.opened`);
  assert.equal(code, 8, stderr);
  assert.match(stderr, /changed or cut off/);
  assert.deepEqual(
    readdirSync(bash.folder).filter((name) => name.startsWith('cut')),
    ['cut'],
  );
  const again = await bash.run('echo mine > mine; gatehouse key decrypt zeros.sealed -o mine || echo "ended with $?"; cat mine');
  assert.equal(again.stdout, 'ended with 2\nmine\n');
  assert.equal(statSync(join(bash.folder, 'zeros.sealed')).mode & 0o777, 0o600);
  // A JWE of the same key in the place of the data key: what it decrypts to must not become key material.
  const other = await bash.run(`echo other | gatehouse key encrypt files > other
    (head -n 1 zeros.sealed; cat other; tail -n +3 zeros.sealed) > swapped; gatehouse key decrypt swapped`);
  assert.equal(other.code, 8, other.stderr);
  assert.match(other.stderr, /made for something else/);
  assert.ok(!existsSync(join(bash.folder, 'cut.opened')));
});

test.run();
