// Keys and the rest of the API from the command line on a started server: kinds, signatures, MACs, keys that move, documents, sessions, tokens.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { docx } from '../plugins/ai/files.ts';
import { type Shell, type SignedIn, signedInShell } from './shell.ts';

let signedIn: SignedIn;
let bash: Shell;
test.before(async () => {
  signedIn = await signedInShell();
  bash = signedIn.bash;
});
test.after(() => signedIn.end());

async function lines(script: string, code = 0): Promise<string[]> {
  const ended = await bash.run(script);
  assert.equal(ended.code, code, ended.stdout + ended.stderr);
  return ended.stdout.trimEnd().split('\n');
}

const file = (name: string) => readFileSync(join(bash.folder, name));

/** Of a detached JWS. */
const algorithmOf = (name: string) => JSON.parse(Buffer.from(JSON.parse(file(name).toString()).protected, 'base64url').toString()).alg;

for (const [kind, pem] of [
  ['rsa-2048', 'RSA'],
  ['ec-p384', 'EC'],
  ['ed25519', 'ED25519'],
] as const)
  test(`a pair of ${kind} signs; a changed text is refused with 8; openssl reads its exported key`, async () => {
    const printed = await lines(`gatehouse key create ${kind} --name ${kind}; echo text > text
      gatehouse key sign ${kind} text -o ${kind}.jws; gatehouse key verify ${kind}.jws text
      echo other | gatehouse key verify ${kind}.jws || echo "ended with $?"
      gatehouse key export ${kind} -o ${kind}.pem; openssl pkey -in ${kind}.pem -noout -text | head -n 1`);
    assert.match(printed[1] ?? '', /^The signature of \S+ is right$/);
    assert.deepEqual(printed.slice(2, 3), ['ended with 8']);
    assert.match(printed[3] ?? '', new RegExp(`${pem}|Private-Key: \\(\\d+ bit`));
  });

test('a key that was made for one algorithm works with that one, without naming it', async () => {
  const signed = ['RS256', 'RS512', 'PS256', 'PS384'];
  const encrypted = ['RSA-OAEP', 'RSA-OAEP-256', 'RSA-OAEP-512'];
  const secrets = ['A128GCM', 'A192KW', 'A128CBC-HS256', 'A256CBC-HS512'];
  const bytes = (alg: string) => ({ A128GCM: 16, A192KW: 24, 'A128CBC-HS256': 32 })[alg] ?? 64;
  const printed = await lines(`echo text > made-for; openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.pem 2> /dev/null
    for alg in ${signed.join(' ')}; do gatehouse key sign $(gatehouse key import rsa.pem --alg $alg) made-for -o $alg.jws; gatehouse key verify $alg.jws made-for; done
    for alg in ${encrypted.join(' ')}; do gatehouse key encrypt $(gatehouse key import rsa.pem --alg $alg) made-for | gatehouse key decrypt; done
    ${secrets.map((alg) => `head -c ${bytes(alg)} /dev/urandom > own-secret; gatehouse key encrypt $(gatehouse key import own-secret --alg ${alg}) made-for | gatehouse key decrypt`).join('\n')}`);
  assert.equal(printed.filter((line) => /^The signature of \S+ is right$/.test(line)).length, signed.length);
  assert.equal(printed.filter((line) => line === 'text').length, encrypted.length + secrets.length);
  for (const alg of signed) assert.equal(algorithmOf(`${alg}.jws`), alg);
});

test('a key signs with the algorithm of its own curve or parameter set, without naming it', async () => {
  const keys = {
    ES256K: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
    ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
    Ed448: generateKeyPairSync('ed448'),
    'ML-DSA-65': generateKeyPairSync('ml-dsa-65'),
  };
  for (const [alg, { privateKey }] of Object.entries(keys))
    writeFileSync(join(bash.folder, `${alg}.jwk`), JSON.stringify(privateKey.export({ format: 'jwk' })));
  const printed = await lines(`echo text > own-curve
    for alg in ${Object.keys(keys).join(' ')}; do gatehouse key sign $(gatehouse key import $alg.jwk) own-curve -o $alg.jws; gatehouse key verify $alg.jws own-curve; done`);
  assert.equal(printed.filter((line) => /^The signature of \S+ is right$/.test(line)).length, Object.keys(keys).length);
  for (const alg of Object.keys(keys)) assert.equal(algorithmOf(`${alg}.jws`), alg);
});

test('a MAC is computed and verified; a wrong one ends with 8', async () => {
  const printed = await lines(`gatehouse key create hmac-256 --name counter > /dev/null; MAC=$(echo text | gatehouse key mac counter)
    echo text | gatehouse key mac counter --verify $MAC; echo other | gatehouse key mac counter --verify $MAC || echo "ended with $?"`);
  assert.deepEqual(printed, ['The MAC is right', 'ended with 8']);
});

test('a key leaves wrapped and comes back; PEM and bytes are imported; both are the same keys as before', async () => {
  await lines(`gatehouse key create aes-256 --name wrapping; gatehouse key create aes-256 --name inner; gatehouse key create rsa-2048 --name pair
    for key in inner pair; do gatehouse key wrap $key --with wrapping -o $key.wrapped; gatehouse key unwrap $key.wrapped --name $key-again; gatehouse key export $key -o $key.clear; gatehouse key export $key-again -o $key-again.clear; done
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out own.pem; gatehouse key export $(gatehouse key import own.pem --alg ES256 --tag brought) -o back.pem`);
  for (const key of ['inner', 'pair']) {
    assert.deepEqual(file(`${key}.clear`), file(`${key}-again.clear`));
    const wrapped = file(`${key}.wrapped`).toString().toLowerCase();
    assert.ok(!wrapped.includes(file('inner.clear').toString('hex')), key);
  }
  assert.equal(file('inner.clear').length, 32);
  assert.deepEqual(file('back.pem'), file('own.pem'));
  assert.match((await lines('gatehouse key list --tag brought'))[1] ?? '', /PrivateKey +EC 256 +Active +brought$/);
});

test('what was destroyed is gone, what is revoked encrypts no more, and neither happens without --yes', async () => {
  const printed = await lines(`gatehouse key create aes-128 --name old > /dev/null
    echo text | gatehouse key encrypt old > old.sealed
    gatehouse key destroy old || echo "asked: $?"
    gatehouse key revoke old --yes > /dev/null
    echo text | gatehouse key encrypt old || echo "refused: $?"
    gatehouse key decrypt old.sealed
    gatehouse key destroy old --yes > /dev/null
    gatehouse key decrypt old.sealed > /dev/null || echo "gone: $?"`);
  assert.deepEqual(printed.slice(0, 3), ['asked: 2', 'refused: 4', 'text']);
  assert.match(printed[3] ?? '', /^gone: [56]$/);
});

test('an archived key is found by its name and its tags, and works again when it is recovered', async () => {
  const archive = '{"tag":"Archive","value":[{"tag":"UniqueIdentifier","type":"TextString","value":"\'$KEY\'"}]}';
  const printed = await lines(`KEY=$(gatehouse key create aes-256 --name put-away --tag attic)
    api() { curl -s -f --cacert data/tls/cert.pem -H 'content-type: application/json' "$@"; }
    SESSION=$(api -c jar -u 'admin:correct horse battery' -X POST "$ADDRESS/login?realm=_" | sed 's/.*"session_id":"\\([^"]*\\)".*/\\1/')
    api -b jar -d '${archive}' $ADDRESS/kmip/2_1 > /dev/null; api -b jar -X DELETE -d "{\\"session_ids\\":[\\"$SESSION\\"]}" $ADDRESS/sessions
    gatehouse key list --tag attic | grep -c "^$KEY "; gatehouse key show put-away | grep -c ArchiveDate
    echo text | gatehouse key encrypt put-away 2>&1 || echo "refused: $?"
    gatehouse key recover put-away | grep -c "^Recovered $KEY$"; echo text | gatehouse key encrypt put-away | gatehouse key decrypt`);
  assert.match(printed.join('\n'), /^1\n1\ngatehouse: .* it is archived .*\nrefused: 4\n1\ntext$/);
});

test('a hostile tag of a key is shown escaped, and is whole in JSON', async () => {
  const hostile = 'a\u001b]0;title\u0007\u202eb';
  writeFileSync(join(bash.folder, 'tag'), hostile);
  const printed = await lines(
    `gatehouse key create aes-256 --name tagged > /dev/null; gatehouse key tag tagged "$(cat tag)" > /dev/null; gatehouse key list --name tagged; gatehouse key list --name tagged --json > tagged.json`,
  );
  assert.ok(printed.join('\n').includes('a\\u{1b}]0;title\\u{7}\\u{202e}b'), printed.join('\n'));
  for (const each of ['\u001b', '\u202e']) assert.ok(!file('tagged.json').includes(each));
  assert.deepEqual((JSON.parse(file('tagged.json').toString()) as { tags: string[] }[])[0]?.tags, [hostile]);
});

test('a key whose tags are refused is not made; the identifier of an imported one is printed all the same', async () => {
  const printed = await lines(`for kind in aes-256 ec-p256; do gatehouse key create $kind --name untagged --tag good --tag _reserved || echo "refused: $?"; done
    gatehouse key list --name untagged; gatehouse key create ec-p256 --name pair-tagged --tag one --tag two > /dev/null; gatehouse key list --tag two
    KEY=$(head -c 32 /dev/urandom | gatehouse key import --alg A256GCM --tag _reserved) || echo "refused: $?"; gatehouse key list | grep -c "^$KEY "`);
  assert.deepEqual(printed.slice(0, 2), ['refused: 6', 'refused: 6']);
  assert.match(printed.slice(2).join('\n'), /^ID .*\nID .*\n\S+ +pair-tagged +PrivateKey +EC 256 +Active +one, two\nrefused: 6\n1$/);
});

test('documents are added and asked, sessions are found and ended, a token is renewed and revoked', async () => {
  writeFileSync(join(bash.folder, 'pump.docx'), await docx(['The filter of the pump is changed every three months.']));
  const printed =
    await lines(`gatehouse base add documents pump.docx; gatehouse base ask documents when is the filter changed; gatehouse base list | grep pump; gatehouse base remove documents pump.docx --yes
    gatehouse session end $(gatehouse session list _ admin --json | grep -o '[0-9a-f-]\\{36\\}'); gatehouse whoami || echo "ended with $?"`);
  assert.equal(printed[0], 'Added pump.docx to documents');
  assert.match(printed.join('\n'), /three months[\s\S]*documents +pump\.docx\nRemoved pump\.docx from documents\nEnded the session\nended with 3$/);
  const tokens = await lines(`echo 'correct horse battery' | gatehouse login --user admin --password-file -
    ROLE=$(gatehouse role create web --ttl 3600); gatehouse secret-id create web --uses 1 -o secret
    gatehouse login $ADDRESS --ca data/tls/cert.pem --profile web --role-id $ROLE --secret-id-file secret
    gatehouse token show --profile web | grep -c ttl; gatehouse token renew --profile web; gatehouse token revoke --profile web; gatehouse token show --profile web || echo "ended with $?"`);
  assert.match(tokens.join('\n'), /as approle:web\n[1-9]\nThe token lives for 3600 seconds from now\nRevoked the token\nended with [34]$/);
});

test('content whose reader leaves, and an output that is full, are failures that are told; a list is not', async () => {
  const printed = await lines(`gatehouse key create aes-256 --name long > /dev/null; head -c 3000000 /dev/urandom > long
    gatehouse key encrypt long long -o long.sealed
    set +e +o pipefail
    gatehouse key encrypt long long 2> told | head -c 10 > /dev/null; echo "\${PIPESTATUS[0]} $(cat told)"
    gatehouse key decrypt long.sealed 2> told | head -c 10 > /dev/null; echo "\${PIPESTATUS[0]} $(cat told)"
    gatehouse key decrypt long.sealed | (sleep 1; cat) | cmp - long; echo "\${PIPESTATUS[@]}"
    gatehouse key list 2>&1 > /dev/full; echo $?
    (trap '' XFSZ; ulimit -f 1000; gatehouse key decrypt long.sealed -o cut) 2>&1; echo "$? $(ls | grep -c ^cut)"
    gatehouse key list --json | head -c 1 > /dev/null; echo \${PIPESTATUS[0]}`);
  const left = '1 gatehouse: EPIPE: broken pipe, write';
  assert.deepEqual(printed, [
    left,
    left,
    '0 0 0',
    'gatehouse: standard output cannot be written: the disk is full (ENOSPC)',
    '1',
    'gatehouse: cut cannot be written: the file would be larger than is allowed (EFBIG)',
    '1 0',
    '0',
  ]);
});

test.run();
