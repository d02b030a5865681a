// The commands of the README and of the pages in docs/ run as they stand there, and print what the pages say.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { startIdentityProvider } from '../identity-provider.ts';
import { docx } from '../plugins/ai/files.ts';
import { HARBOUR } from '../plugins/ai/harbour.ts';
import { signInAdmin, startServer, temporaryFolder } from '../server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const read = (page: string) => readFileSync(join(root, page), 'utf8');

/** Where the commands of the pages look for the server. */
const DEFAULT_ADDRESS = 'https://127.0.0.1:8443';

/** The blocks of shell commands of a page that carry this name. */
function blocksOf(page: string, name: string): string[] {
  return [...read(page).matchAll(new RegExp(`\`\`\`sh ${name}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block]) => block as string);
}

/** What the shell prints, with its exit code; the server answers from this process meanwhile. */
function run(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    child.on('close', (code) => resolve({ code, output }));
  });
}

if (
  [
    ['curl', '--version'],
    ['openssl', 'version'],
  ].some(([name, ask]) => spawnSync(name as string, [ask as string]).status !== 0)
)
  console.log('skipped: set-ups.test.ts needs curl and openssl: apt-get install curl openssl');
else {
  test('the five minutes of the README run and print what the README says', async () => {
    const [block] = blocksOf('README.md', 'five-minutes') as [string];
    const server = await startServer();
    const folder = temporaryFolder();
    symlinkSync(server.dataDir, join(folder, 'data'));
    const { code, output } = await run(block.replaceAll(DEFAULT_ADDRESS, server.address), folder, {});
    const jar = () => /_ea_=?\t?(\S+)/.exec(readFileSync(join(folder, 'jar'), 'utf8'))?.[1];
    assert.equal(code, 0, output);
    for (const expected of [
      '{"next_step":"ChangePassword","session_id":null}',
      '"next_step":"Authenticated"',
      '"sub":"admin"',
      '"kid_public":',
      '{"result":"1200"}',
    ])
      assert.ok(output.includes(expected), `${expected} in ${output}`);
    assert.equal((await server.ask('GET', '/whoami', { cookie: jar() })).status, 401);
    const [again] = blocksOf('README.md', 'again') as [string];
    await run(again.replaceAll(DEFAULT_ADDRESS, server.address), folder, {});
    assert.equal((await server.ask('GET', '/whoami', { cookie: jar() })).status, 200);
    rmSync(folder, { recursive: true });
    await server.end();
  });

  test('the commands of docs/anonymization.md and of the web pages run and print what the pages say', async () => {
    const [methods] = blocksOf('docs/anonymization.md', 'anonymization') as [string];
    const [pages] = blocksOf('docs/sign-in.md', 'pages') as [string];
    const server = await startServer();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'jar'), `127.0.0.1\tFALSE\t/\tTRUE\t0\t_ea_\t${await signInAdmin(server)}\n`);
    const { code, output } = await run(`${methods}\n${pages}`.replaceAll(DEFAULT_ADDRESS, server.address), folder, {});
    assert.equal(code, 0, output);
    const expected = [...methods.matchAll(/# (\{"result":.+\})$/gm)].map(([, result]) => result as string);
    assert.equal(expected.length, 3);
    for (const result of expected) assert.ok(output.includes(result), `${result} in ${output}`);
    assert.equal(output.match(/^\{"result":/gm)?.length, 5);
    assert.ok(output.includes('openapi: 3.1'));
    for (const [name, text] of [
      ['openapi.yaml', 'openapi: 3.1'],
      ['ca.crt', '-----BEGIN CERTIFICATE-----'],
    ] as const)
      assert.ok(readFileSync(join(folder, name), 'utf8').includes(text), name);
    rmSync(folder, { recursive: true });
    await server.end();
  });

  test('the commands of docs/ai-runner.md run and print what the page says', async () => {
    const [block] = blocksOf('docs/ai-runner.md', 'ai-runner') as [string];
    const server = await startServer();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'jar'), `127.0.0.1\tFALSE\t/\tTRUE\t0\t_ea_\t${await signInAdmin(server)}\n`);
    writeFileSync(join(folder, 'handbook.docx'), await docx(HARBOUR));
    const { code, output } = await run(block, folder, { BASE: server.address });
    rmSync(folder, { recursive: true });
    assert.equal(code, 0, output);
    const lines = output.trim().split('\n');
    const told = [...block.matchAll(/ # (.+)$/gm)].map(([, text]) => text as string);
    assert.equal(lines.length, told.length);
    for (const [index, text] of told.entries()) if (/^(File|Reference|\{[^.]+\})/.test(text)) assert.equal(lines[index], text.replace(/, the best.*/, ''));
    assert.match(lines[2] as string, /^\{"result":\["[^"]*Elias Brandt/);
    assert.match(lines[3] as string, /"reference":"handbook","text":"[^"]*Elias Brandt/);
    await server.end();
  });

  test('docs/operations.md lists every metric of the server and no other', async () => {
    const server = await startServer();
    const { text } = await server.ask('GET', '/metrics');
    const own = [...text.matchAll(/^# TYPE (gatehouse_\w+) /gm)].map(([, name]) => name as string).filter((name) => !/^gatehouse_(process|nodejs)_/.test(name));
    const told = [...read('docs/operations.md').matchAll(/^\| `(gatehouse_\w+)` \|/gm)].map(([, name]) => name as string);
    assert.deepEqual(told.sort(), own.sort());
    await server.end();
  });

  test('the commands of the key server run and print what docs/keys.md says', async () => {
    const [block] = blocksOf('docs/keys.md', 'keys');
    const server = await startServer();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'jar'), `127.0.0.1\tFALSE\t/\tTRUE\t0\t_ea_\t${await signInAdmin(server)}\n`);
    const { code, output } = await run(block as string, folder, { BASE: server.address });
    rmSync(folder, { recursive: true });
    assert.equal(code, 0, output);
    for (const expected of ['{"user":"_/admin","realm":"_","scheme":"up"}', '"tag":"EncryptResponse"', '"data":"aGVsbG8"}', '"kid_public":'])
      assert.ok(output.includes(expected), `${expected} in ${output}`);
    assert.ok(output.endsWith('[{"user_id":"team/ada","operations":["encrypt"]}]'), output);
    await server.end();
  });

  test('the recipe for KMIP over TLS makes certificates that the listener takes', async () => {
    const folder = temporaryFolder();
    const made = await run(blocksOf('docs/keys.md', 'certificates').join('\n'), folder, {});
    assert.equal(made.code, 0, made.output);
    const config = /client_ca = "pki[\s\S]*?enabled = true\n/.exec(read('docs/keys.md'))?.[0].replace('pki/', join(folder, 'pki/'));
    const server = await startServer({ config: `[http.tls]\n${config}port = 0\n` });
    const listener = /^KMIP listener on tls:\/\/(.+)$/.exec(server.announcements.find((line) => line.startsWith('KMIP')) ?? '')?.[1];
    mkdirSync(join(folder, 'data/tls'), { recursive: true });
    copyFileSync(join(server.dataDir, 'tls/cert.pem'), join(folder, 'data/tls/cert.pem'));
    const { code, output } = await run(blocksOf('docs/keys.md', 'listener').join('\n'), folder, { BASE: server.address, KMIP: listener as string });
    rmSync(folder, { recursive: true });
    await server.end();
    assert.equal(code, 0, output);
    assert.ok(output.includes('{"user":"owner@acme.com","scheme":"cc"}'), output);
    assert.match(output, /^ 42 00 7b 01 /m);
  });

  test('the commands of the pages about signing in run and print what the pages say', async () => {
    const blocks = [...blocksOf('docs/sign-in.md', 'set-up'), ...blocksOf('docs/machine-authentication.md', 'set-up')];
    assert.equal(blocks.length, 4);
    const server = await startServer();
    await signInAdmin(server, 'correct horse battery');
    const idp = await startIdentityProvider(() => Date.now());
    const issuer = new URL(idp.jwksUri).origin;
    const folder = join(temporaryFolder(), 'shell');
    mkdirSync(folder);
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const { code, output } = await run(blocks.join('\n'), folder, { BASE: server.address, IDP: issuer, JWT: await idp.token({ iss: issuer }) });
    rmSync(folder, { recursive: true });
    assert.equal(code, 0, output);
    for (const expected of ['"next_step":"TotpRequired"', '"sub":"ada"', '"sub":"user-1"', '"entity_id":"web"', '"username":"ada"'])
      assert.ok(output.includes(expected), `${expected} in ${output}`);
    assert.equal(output.match(/"next_step":"Authenticated"/g)?.length, 4);
    await idp.end();
    await server.end();
  });
}

test.run();
