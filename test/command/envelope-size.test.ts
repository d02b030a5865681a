// A sealed file of 300 MB: the command takes the memory that a megabyte takes, and the client and openssl, as docs/command-line.md says, open it too.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { test } from 'uvu';
import { Client, type Fetch, openEnvelope } from '../../client/index.ts';
import { blocks, type Shell, type SignedIn, signedInShell } from './shell.ts';

const SMALL = 1_000_000;
const LARGE = 300_000_000;
/** What the collector has not collected yet varies; half of the large file would fill this. */
const MOST_MORE_KB = 150_000;

let signedIn: SignedIn;
let bash: Shell;
test.before(async () => {
  signedIn = await signedInShell('gatehouse key create aes-256 --name files');
  bash = signedIn.bash;
});
test.after(() => signedIn.end());

/** Bytes that do not repeat, made while they are read: a keystream of AES. Only what is sealed lies on the disk. */
const PLAIN = `plain() { head -c $1 /dev/zero | openssl enc -aes-128-ctr -K ${'5a'.repeat(16)} -iv ${'00'.repeat(16)}; }`;

/** Node tells the most memory that it held, in kB, when it ends. */
const PEAK = `export NODE_OPTIONS="--import=data:text/javascript,process.on('exit',()=>process.stderr.write('peak%20'+process.resourceUsage().maxRSS+'%5Cn'))"`;

const peakIn = (stderr: string) => Number(/peak (\d+)/.exec(stderr)?.[1]);
const cookie = () => (JSON.parse(readFileSync(join(bash.folder, 'profiles', 'default.json'), 'utf8')) as { cookie: string }).cookie;

async function succeeds(script: string): Promise<{ stdout: string; stderr: string }> {
  const ended = await bash.run(script);
  assert.equal(ended.code, 0, ended.stderr + ended.stdout);
  return ended;
}

/** @returns the peak in kB and the digest of what was sealed */
async function seal(name: string, size: number) {
  const { stderr } = await succeeds(`${PLAIN}\n${PEAK}\nplain ${size} | tee >(sha256sum > ${name}.digest) | gatehouse key encrypt files -o ${name}`);
  return { digest: readFileSync(join(bash.folder, `${name}.digest`), 'utf8').split(' ')[0] as string, peak: peakIn(stderr) };
}

interface Opened {
  readonly digest: string | undefined;
  readonly peak?: number;
}

async function byCommand(name: string): Promise<Opened> {
  const { stdout, stderr } = await succeeds(`${PEAK}\ngatehouse key decrypt ${name} | sha256sum`);
  return { digest: stdout.split(' ')[0], peak: peakIn(stderr) };
}

async function byClient(name: string): Promise<Opened> {
  const agent = new Agent({ connect: { ca: readFileSync(join(bash.folder, 'data/tls/cert.pem'), 'utf8') } });
  const trusting: Fetch = (address, init) => fetch(address, { ...init, dispatcher: agent } as never) as unknown as Promise<Response>;
  const client = new Client({ address: signedIn.server.address, fetch: trusting, credential: { cookie: cookie() } });
  const opened = createHash('sha256');
  const dataKey = async (sealed: string) => Buffer.from((await client.call('POST /v1/crypto/decrypt', { body: JSON.parse(sealed) })).data, 'base64url');
  for await (const part of openEnvelope(createReadStream(join(bash.folder, name)), dataKey)) opened.update(part);
  await agent.close();
  return { digest: opened.digest('hex') };
}

/** The steps of the page, which open the file `sealed`. They write a file; a pipe of that name keeps the content off the disk. */
async function byOpenssl(): Promise<Opened> {
  writeFileSync(join(bash.folder, 'jar'), `127.0.0.1\tFALSE\t/\tTRUE\t0\t_ea_\t${cookie()}\n`);
  const { stdout } = await succeeds(`mkfifo opened\nsha256sum < opened > digest.opened &\n${blocks('openssl')}\nwait\ncat digest.opened`);
  return { digest: stdout.split(' ')[0] };
}

test('300 MB take the memory of 1 MB, and the command, the client and openssl open it as it was', async () => {
  const small = { sealing: await seal('small', SMALL), opening: await byCommand('small') };
  assert.equal(small.opening.digest, small.sealing.digest);
  const sealing = await seal('sealed', LARGE);
  // At once, so that no core waits: openssl mostly starts and ends.
  const [opening, client, openssl] = await Promise.all([byCommand('sealed'), byClient('sealed'), byOpenssl()]);
  const large = { sealing, opening };
  console.log(`memory in kB: ${JSON.stringify({ small, large })}`);
  assert.deepEqual([opening.digest, client.digest, openssl.digest], Array(3).fill(sealing.digest));
  for (const way of ['sealing', 'opening'] as const) {
    const [least, most] = [Number(small[way].peak), Number(large[way].peak)];
    assert.ok(least > 20_000, `${way}: ${least} kB`);
    assert.ok(most - least < MOST_MORE_KB, `${way}: ${least} kB and ${most} kB`);
  }
});

test.run();
