// `gatehouse key sign | verify | mac`: detached signatures as JWS, and message authentication codes.
import type { Calls } from '../../client/calls.ts';
import { wholeOf } from '../bytes.ts';
import { command, flag } from '../command.ts';
import { CommandError, EXIT } from '../exit.ts';
import { jsonIn } from '../json.ts';
import { writeBytes } from '../output.ts';
import { sortOf } from './attributes.ts';
import { identifierOf } from './identifier.ts';
import { macAlgorithm, signatureAlgorithm } from './kind.ts';
import { KEY } from './life.ts';

type Signing = Calls['POST /v1/crypto/sign']['body'];
type Mac = Calls['POST /v1/crypto/mac']['body'];

const FILE = ['[file]', 'file to read (default: standard input)'] as const;

export const sign = command<{ readonly alg?: string; readonly out?: string }>({
  name: 'sign',
  about: 'Sign a file or standard input; prints a detached JWS as JSON',
  args: [KEY, FILE],
  flags: [
    flag('--alg <name>', 'ES256, PS256, RS256, EdDSA, ML-DSA-65 ... (default: by the kind of the key)'),
    flag('-o, --out <file>', 'new file to write (default: standard output)'),
  ],
  example: 'gatehouse key sign release release.tar -o release.tar.jws',
  async run(given, [word, file], { alg, out }) {
    const kid = await identifierOf(given.client(), word);
    const chosen = alg ?? signatureAlgorithm(await sortOf(given.client(), kid, '--alg'));
    if (chosen === undefined) throw new CommandError('this kind of key does not sign, or say --alg', EXIT.refused);
    const data = (await wholeOf(file as string | undefined, given)).toString('base64url');
    const signature = await given.client().call('POST /v1/crypto/sign', { body: { kid, alg: chosen as Signing['alg'], data } });
    writeBytes(out, Buffer.from(`${JSON.stringify(signature)}\n`));
  },
});

export const verify = command({
  name: 'verify',
  about: 'Verify a signature that sign has made; the exit code is 8 if it is wrong',
  args: [['<signature>', 'file with the signature'], FILE],
  example: 'gatehouse key verify release.tar.jws release.tar',
  async run(given, [file, content]) {
    const { protected: header, signature } = signatureIn((await wholeOf(file, given)).toString('utf8'));
    const data = (await wholeOf(content as string | undefined, given)).toString('base64url');
    const { valid, kid } = await given.client().call('POST /v1/crypto/verify', { body: { protected: header, signature, data } });
    if (!valid) throw new CommandError('the signature is wrong', EXIT.wrong);
    given.out.done(`The signature of ${kid} is right`, { valid, kid });
  },
});

function signatureIn(text: string): { protected: string; signature: string } {
  const { protected: header, signature } = (jsonIn(text) ?? {}) as Record<string, unknown>;
  if (typeof header === 'string' && typeof signature === 'string') return { protected: header, signature };
  throw new CommandError('the file with the signature is not a detached JWS as JSON', EXIT.wrong);
}

export const mac = command<{ readonly alg?: string; readonly verify?: string }>({
  name: 'mac',
  about: 'Compute the MAC of a file or of standard input, or verify one; the exit code is 8 if it is wrong',
  args: [KEY, FILE],
  flags: [flag('--alg <name>', 'default: by the kind of the key', ['HS256', 'HS384', 'HS512']), flag('--verify <mac>', 'a MAC in base64url to verify')],
  example: 'gatehouse key mac counter-key report.csv',
  async run(given, [word, file], { alg, verify: known }) {
    const kid = await identifierOf(given.client(), word);
    const chosen = alg ?? macAlgorithm(await sortOf(given.client(), kid, '--alg'));
    if (chosen === undefined) throw new CommandError('this kind of key makes no MAC, or say --alg', EXIT.refused);
    const data = (await wholeOf(file as string | undefined, given)).toString('base64url');
    const body = { kid, alg: chosen as Mac['alg'], data, ...(known === undefined ? {} : { mac: known }) };
    const answer = await given.client().call('POST /v1/crypto/mac', { body });
    if (known === undefined) return given.out.line(String(answer.mac));
    if (answer.valid !== true) throw new CommandError('the MAC is wrong', EXIT.wrong);
    given.out.done('The MAC is right', { valid: true });
  },
});
