// What a server with models reaches, told by strace: it connects to nothing but this machine, and writes to its data folder and the temporary one, not to the home.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { Agent } from 'undici';
import { test } from 'uvu';
import { writeModel } from '../models/build.ts';
import { docx, form } from '../plugins/ai/files.ts';
import { until } from '../runtime.ts';
import { asker, temporaryFolder } from '../server.ts';
import { skipWithout } from '../system.ts';
import { addressOf, exitOf, root } from './started.ts';

const CALLS = 'connect,sendto,sendmsg,sendmmsg,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,symlink,symlinkat,link,linkat,truncate';
/** What the system has in memory, and code that Node has compiled, beside the program. */
const ELSEWHERE = ['/dev/', '/proc/', '/sys/', join(root, 'node_modules/.cache/gatehouse/')];

interface Reach {
  /** Addresses of networks that were connected or sent to. */
  readonly addresses: readonly string[];
  /** Paths that were opened to be written, made or renamed; also where that was refused. */
  readonly written: readonly string[];
  readonly read: readonly string[];
}

/** @param log of `strace -f` @param cwd of the traced processes */
function reachIn(log: string, cwd: string): Reach {
  const addresses = [...log.matchAll(/sa_family=AF_INET6?,.*?(?:inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)")/g)].map(([, four, six]) => four ?? six);
  const lines = log.split('\n').filter((line) => !/ (connect|send\w+)\(/.test(line));
  const isWrite = (line: string) => !/ open(at)?\(/.test(line) || /O_(WRONLY|RDWR|CREAT|TRUNC)/.test(line);
  const pathsOf = (those: readonly string[]) =>
    [...new Set(those.flatMap((line) => [...line.matchAll(/"([^"]*)"/g)].map(([, path]) => path as string)))]
      .filter((path) => path !== '')
      .map((path) => (isAbsolute(path) ? path : resolve(cwd, path)));
  return { addresses: addresses as string[], written: pathsOf(lines.filter(isWrite)), read: pathsOf(lines.filter((line) => !isWrite(line))) };
}

test('this test sees who is connected to and what is written', () => {
  const log = [
    '7 connect(21, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")}, 16) = -1 EINPROGRESS (Operation now in progress)',
    '7 connect(22, {sa_family=AF_INET6, sin6_port=htons(53), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = 0',
    '7 connect(23, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = 0',
    '8 openat(AT_FDCWD, "/home/ada/.cache/x", O_WRONLY|O_CREAT|O_CLOEXEC, 0644 <unfinished ...>',
    '8 openat(AT_FDCWD, "model.onnx", O_RDONLY) = 3',
    '9 mkdir("/home/ada/.config", 0777) = -1 EACCES (Permission denied)',
    '9 rename("/a", "/b") = 0',
  ].join('\n');
  assert.deepEqual(reachIn(log, '/there'), {
    addresses: ['192.0.2.1', '2001:db8::1'],
    written: ['/home/ada/.cache/x', '/home/ada/.config', '/a', '/b'],
    read: ['/there/model.onnx'],
  });
});

async function traced(folder: string, config: string) {
  const [home, tmp, dataDir, log] = ['home', 'tmp', 'data', 'log'].map((name) => join(folder, name)) as [string, string, string, string];
  for (const made of [home, tmp]) mkdirSync(made);
  writeFileSync(join(folder, 'config.toml'), config);
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: tmp };
  const server = [process.execPath, 'launch.mjs', 'start', '--data-dir', dataDir, '--port', '0', '--config', join(folder, 'config.toml')];
  const child = spawn('strace', ['-f', '--seccomp-bpf', '-qq', '-s', '4096', '-e', `trace=${CALLS}`, '-o', log, '--', ...server], { cwd: root, env });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output.text += data));
  const address = await addressOf(child, output, 90_000);
  const ask = asker(address, new Agent({ connect: { ca: readFileSync(join(dataDir, 'tls', 'cert.pem'), 'utf8') } }));
  return { child, ask, home, reach: () => reachIn(readFileSync(log, 'utf8'), root) };
}

/** strace passes no signal on. */
function stop(ended: { readonly pid?: number | undefined }): void {
  const [server] = readFileSync(`/proc/${ended.pid}/task/${ended.pid}/children`, 'utf8').trim().split(' ');
  process.kill(Number(server), 'SIGTERM');
}

if (!skipWithout('strace'))
  test('with models at work, nothing leaves this machine and nothing is written beside the data', async () => {
    const folder = temporaryFolder();
    const table = (id: string, task: string, of: Parameters<typeof writeModel>[0]) =>
      `[[ai.models]]\nid = "${id}"\ntask = "${task}"\nfolder = "${writeModel(of, folder)}"\n`;
    const models = `${table('to-french', 'translation', 'opus-mt-en-fr')}languages = ["en-fr"]\n${table('small', 'embedding', 'embedder')}`;
    const { child, ask, home, reach } = await traced(folder, `[ai]\nopen = true\n${models}`);
    const post = async (path: string, ...given: Parameters<typeof form>) => {
      const answer = await ask('POST', path, await form(...given));
      assert.equal(answer.status, 200, `${path}: ${answer.text}`);
      return answer.text;
    };
    const bytes = await docx(['# The harbour', 'The watchman counts the boats at night.']);
    await post('/add_reference', { db: 'documents', reference: 'book' }, { name: 'book.docx', bytes });
    const found = async () => /watchman/.test(await post('/rag_predict', { db: 'documents', query: 'Who counts the boats?', ranking: 'vectors' }));
    // The vectors are made after the answer.
    await until(found, 'the passage is found by its vector', 30_000);
    assert.match(await post('/translate', { doc: 'the black cat sleeps.', src_lang: 'en', tgt_lang: 'fr' }), /chat noir/);
    await post('/summarize', { doc: 'The watchman counts the boats. The boats are blue.' });
    stop(child);
    assert.equal(await exitOf(child), 0);
    const { addresses, written, read } = reach();
    assert.ok(read.some((path) => path.endsWith('.onnx')) && written.some((path) => path.endsWith('gatehouse.db')), 'models and data were seen');
    assert.deepEqual(
      addresses.filter((address) => !/^127\.|^::1$/.test(address)),
      [],
    );
    assert.deepEqual(
      written.filter((path) => ![`${folder}/`, ...ELSEWHERE].some((known) => `${path}/`.startsWith(known))),
      [],
    );
    assert.deepEqual([written.filter((path) => path.startsWith(home)), readdirSync(home)], [[], []]);
    rmSync(folder, { recursive: true });
  });

test.run();
