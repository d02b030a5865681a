// `npm run model` against a hub on loopback: pulls, goes on after a break, verifies and removes, and contacts nothing else.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { requireHubId, requireModelName, requireRevision } from '../../../actors/model/hub/address.ts';
import { HubError } from '../../../actors/model/hub/hub-error.ts';
import { installedModels, verifyModel } from '../../../actors/model/hub/installed.ts';
import { progressOn } from '../../../actors/model/hub/progress.ts';
import { type Pull, pull } from '../../../actors/model/hub/pull.ts';
import { COMMIT, type ModelHub, startModelHub } from '../../fakes/model-hub.ts';
import { modelFiles } from '../../models/build.ts';
import { temporaryFolder } from '../../server.ts';

/** Nobody, as systems call this user. */
const NOBODY = 65_534;
const TOKEN = 'hub-token-of-the-test';
const ID = 'gatehouse/opus-mt-en-fr';
const FILES = modelFiles('opus-mt-en-fr');
const ENCODER = FILES.get('onnx/encoder_model.onnx') as Uint8Array;
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = temporaryFolder();
const models = join(folder, 'data', 'models');
const installed = join(models, 'opus-mt-en-fr');

let hub: ModelHub;
test.before(async () => {
  hub = await startModelHub(TOKEN, new Map([[ID, FILES]]));
});
test.before.each(() => {
  rmSync(models, { recursive: true, force: true });
  Object.assign(hub, { breakAt: undefined, knowsRanges: true, listedBytes: 1, breaksList: false });
  hub.spoiled.clear();
  hub.listed.length = 0;
  hub.requests.length = 0;
});
test.after(async () => {
  await hub?.end();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly connections: readonly string[];
}

async function model(args: readonly string[], token = TOKEN): Promise<Ran> {
  const connections = join(folder, 'connections');
  writeFileSync(connections, '');
  chmodSync(connections, 0o666);
  writeFileSync(join(folder, 'config.toml'), `[ai]\nmodel_hub = "${hub.url}"\nmodel_hub_token = "${token}"\n`);
  const flags = ['--disable-warning=ExperimentalWarning', '--import', './test/fakes/connections.mjs', 'model.ts'];
  const given = [...args, '--config', join(folder, 'config.toml'), '--data-dir', join(folder, 'data')];
  const env = {
    PATH: process.env['PATH'],
    CONNECTIONS: connections,
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NODE_USE_ENV_PROXY: '0',
  };
  const child = spawn(process.execPath, [...flags, ...given], { cwd: root, env });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, out, connections: readFileSync(connections, 'utf8').split('\n').filter(Boolean) };
}

/** Without the files of locks, which stay. */
const hidden = () => (existsSync(models) ? readdirSync(models).filter((name) => !name.endsWith('.lock')) : []);

test('what root pulls to the data folder of another user belongs to that user', async () => {
  if (process.geteuid?.() !== 0) return console.log('skipped: only root can become another user');
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  chmodSync(folder, 0o755);
  chownSync(data, NOBODY, NOBODY);
  const foreign = () => readdirSync(models, { recursive: true }).filter((name) => statSync(join(models, String(name))).uid !== NOBODY);
  try {
    hub.spoiled.set('onnx/encoder_model.onnx', Buffer.alloc(ENCODER.length));
    assert.equal((await model(['pull', ID])).code, 1);
    assert.deepEqual([readdirSync(models).length > 0, foreign()], [true, []]);
    hub.spoiled.clear();
    const { code, out } = await model(['pull', ID]);
    assert.equal(code, 0, out);
    assert.deepEqual([existsSync(installed), statSync(models).uid, foreign()], [true, NOBODY, []]);
    assert.equal((await model(['remove', 'opus-mt-en-fr'])).code, 0);
    // A link that this user has made leads root to no other folder.
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    rmSync(models, { recursive: true });
    symlinkSync(elsewhere, models);
    lchownSync(models, NOBODY, NOBODY);
    assert.notEqual((await model(['pull', ID])).code, 0);
    assert.deepEqual(readdirSync(elsewhere), []);
  } finally {
    rmSync(models, { recursive: true, force: true });
    chownSync(data, 0, 0);
  }
});

test('pull asks the hub only, with the token, at the pinned commit; list, verify and remove ask nobody', async () => {
  const { code, out, connections } = await model(['pull', ID]);
  assert.equal(code, 0, out);
  assert.match(out, new RegExp(`opus-mt-en-fr: installed ${ID} at ${COMMIT}`));
  const ours = [hub.url, hub.elsewhere].map((url) => new URL(url).host);
  assert.ok(connections.length > 0 && connections.every((each) => ours.includes(each)), connections.join(' '));
  const [listing, ...files] = hub.requests;
  assert.equal(listing?.path, `/api/models/${ID}/revision/main?blobs=true`);
  assert.ok(files.every(({ path }) => path.startsWith(`/${ID}/resolve/${COMMIT}/`)));
  const far = Number(new URL(hub.elsewhere).port);
  assert.ok(
    files.some(({ port }) => port === far),
    'large files come from elsewhere',
  );
  for (const { port, authorization } of hub.requests) assert.equal(authorization, port === far ? undefined : `Bearer ${TOKEN}`, 'only the hub gets the token');
  // By default the weights as they were trained, and nothing twice.
  const wanted = [...FILES.keys()].filter((path) => !path.includes('_quantized')).sort();
  const { revision, files: digests } = JSON.parse(readFileSync(join(installed, 'manifest.json'), 'utf8'));
  assert.deepEqual([revision, Object.keys(digests).sort()], [COMMIT, wanted]);
  for (const path of wanted) assert.deepEqual(new Uint8Array(readFileSync(join(installed, path))), new Uint8Array(FILES.get(path) as Uint8Array), path);
  assert.equal(statSync(installed).mode & 0o077, 0);

  const asked = hub.requests.length;
  const listed = await model(['list']);
  assert.match(
    listed.out,
    /^opus-mt-en-fr: gatehouse\/opus-mt-en-fr at c0ffeec0ffee, \d+\.\d kB; not used: add \[\[ai\.models\]\] with id = "opus-mt-en-fr"$/m,
  );
  assert.deepEqual([listed.code, listed.connections], [0, []]);
  assert.match((await model(['verify'])).out, /all files are as they were pulled/);
  appendFileSync(join(installed, 'config.json'), ' ');
  rmSync(join(installed, 'tokenizer.json'));
  const changed = await model(['verify', 'opus-mt-en-fr']);
  assert.equal(changed.code, 1);
  assert.match(changed.out, /config\.json: \d+ bytes instead of \d+[\s\S]*tokenizer\.json: missing/);
  truncateSync(join(installed, 'manifest.json'), 20);
  assert.match((await model(['list'])).out, /^opus-mt-en-fr: manifest\.json of the model is malformed: pull the model again; not used/m);
  const damaged = await model(['verify']);
  assert.deepEqual([damaged.code, /manifest\.json of the model is malformed/.test(damaged.out)], [1, true]);
  assert.match((await model(['remove', 'opus-mt-en-fr'])).out, /removed/);
  assert.match((await model(['verify'])).out, /^no pulled models in /);
  assert.deepEqual([hidden(), hub.requests.length], [[], asked]);
  assert.equal((await model(['remove', 'opus-mt-en-fr'])).code, 1);
});

/** As the command does, in this process. */
const pullHere = (more: Partial<Pull> = {}) => {
  const given = { hub: { url: hub.url, token: TOKEN }, id: ID, revision: 'main', precision: 'auto', folder: models, name: 'opus-mt-en-fr' } as const;
  return pull({ ...given, onProgress: () => {}, ...more });
};
const encoderHere = (name: string) => new Uint8Array(readFileSync(join(models, name, 'onnx/encoder_model.onnx')));

test('a broken download goes on where it broke, in the same run and in the next; half a model is not seen', async () => {
  const arrived = join(models, '.opus-mt-en-fr.partial', 'onnx', 'encoder_model.onnx');
  const read = async () => {
    while (!existsSync(arrived) || statSync(arrived).size < 5_000) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  hub.breakAt = { path: 'onnx/encoder_model.onnx', bytes: 5_000, times: 1, read };
  await pullHere();
  const far = Number(new URL(hub.elsewhere).port);
  const ranges = hub.requests.filter(({ path, port }) => path.endsWith('/encoder_model.onnx') && port === far).map(({ range }) => range);
  assert.deepEqual(ranges, [undefined, 'bytes=5000-']);
  assert.deepEqual(encoderHere('opus-mt-en-fr'), new Uint8Array(ENCODER));

  rmSync(models, { recursive: true });
  hub.breakAt = { path: 'onnx/encoder_model.onnx', bytes: 0, times: 100 };
  const broken = await model(['pull', ID]);
  assert.equal(broken.code, 1);
  assert.match(broken.out, /download of onnx\/encoder_model\.onnx broke off 3 times .*run the command again to go on/);
  assert.deepEqual([hidden(), await installedModels(models)], [['.opus-mt-en-fr.partial'], []]);
  const before = hub.requests.length;
  hub.breakAt = undefined;
  await pullHere();
  const again = hub.requests.slice(before).map(({ path }) => path.split('/').at(-1));
  assert.ok(again.includes('encoder_model.onnx') && !again.includes('config.json'), 'what has arrived is not asked for again');
  assert.deepEqual(hidden(), ['opus-mt-en-fr']);
});

test('two commands do not spoil the files of one model: the second is refused, and the first ends well', async () => {
  const refused: Ran[] = [];
  const others = async () => {
    for (const args of [
      ['pull', ID],
      ['remove', 'opus-mt-en-fr'],
    ])
      refused.push(await model(args));
    hub.spoiled.clear();
  };
  hub.breakAt = { path: 'onnx/encoder_model.onnx', bytes: 1_000, times: 1, read: others };
  const { code, out } = await model(['pull', ID]);
  assert.equal(code, 0, out);
  for (const other of refused) {
    assert.match(other.out, /^opus-mt-en-fr: another command is working on this model; wait for it, or stop it$/m);
    assert.equal(other.code, 1);
  }
  assert.equal(refused.length, 2);
  assert.deepEqual(await verifyModel(models, 'opus-mt-en-fr'), []);
  assert.equal((await model(['remove', 'opus-mt-en-fr'])).code, 0);
  assert.deepEqual(await installedModels(models), []);
});

test('a hub without ranges sends all again, and the file is right all the same', async () => {
  hub.knowsRanges = false;
  hub.breakAt = { path: 'onnx/encoder_model.onnx', bytes: 5_000, times: 1 };
  await pullHere();
  assert.deepEqual(encoderHere('opus-mt-en-fr'), new Uint8Array(ENCODER));
  await pullHere({ name: 'other', precision: 'q8' });
  assert.deepEqual(readdirSync(join(models, 'other', 'onnx')).sort(), ['decoder_model_merged_quantized.onnx', 'encoder_model_quantized.onnx']);
});

test('what has arrived of other weights is not in the model', async () => {
  hub.breakAt = { path: 'onnx/decoder_model_merged.onnx', bytes: 0, times: 100 };
  await assert.rejects(pullHere({ pause: async () => {} }), /broke off 3 times/);
  await pullHere({ precision: 'q8' });
  assert.deepEqual(readdirSync(join(installed, 'onnx')).sort(), ['decoder_model_merged_quantized.onnx', 'encoder_model_quantized.onnx']);
});

test('a download of which nothing has arrived is begun again after a pause', async () => {
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  hub.breakAt = { path: 'onnx/encoder_model.onnx', bytes: 0, times: 100 };
  await assert.rejects(pullHere({ pause }), /broke off 3 times/);
  assert.deepEqual(pauses, [1_000, 5_000]);
  hub.breakAt = { path: 'onnx/encoder_model.onnx', bytes: 0, times: 1 };
  await pullHere({ pause });
  assert.deepEqual(pauses, [1_000, 5_000, 1_000]);
});

test('what is not as announced is refused, and the installed model stays', async () => {
  await pullHere();
  const other = Uint8Array.from(ENCODER);
  other[100] = (other[100] as number) ^ 1;
  hub.spoiled.set('onnx/encoder_model.onnx', other);
  await assert.rejects(pullHere(), /encoder_model\.onnx is not what the hub announced/);
  hub.spoiled.set('onnx/encoder_model.onnx', Buffer.concat([ENCODER, Buffer.from('more')]));
  await assert.rejects(pullHere(), /sends more than the \d+ bytes/);
  assert.deepEqual(await verifyModel(models, 'opus-mt-en-fr'), []);
});

test('a model for which there is no room is refused before anything is downloaded', async () => {
  hub.listed.push('large.model');
  hub.listedBytes = 10 ** 15;
  await assert.rejects(pullHere(), /there is no room for the model: 1000000000\.\d MB are to come, and of the [\d.]+ MB that are free .* 100\.0 MB$/);
  assert.equal(hub.requests.length, 1);
});

test('a hub that is not there, and one whose list breaks off, are told by name', async () => {
  hub.breaksList = true;
  const { code, out } = await model(['pull', ID]);
  assert.deepEqual([code, out.includes(`${new URL(hub.url).host} cannot be asked for its files of ${ID} (`)], [1, true], out);
  await assert.rejects(pullHere({ hub: { url: 'http://127.0.0.1:9', token: TOKEN } }), /^HubError: 127\.0\.0\.1:9 cannot be asked .*: check \[ai\] model_hub/);
});

test('names that could leave the folder are refused before anything is asked or written', async () => {
  for (const args of [
    ['pull', '../../x'],
    ['pull', ID, '--name', '../x'],
    ['remove', '..'],
  ]) {
    const { code, connections, out } = await model(args);
    assert.deepEqual([code, connections], [2, []], `${args.join(' ')} ${out}`);
    assert.match(out, /is not the (ID|name) of a model/);
  }
  for (const id of ['a', 'a/..', '../a', 'a/b/c', 'a/b?c', 'a/b#c', '/etc/passwd', 'a/b%2f', 'a\\b/c', 'a/b..c', 'a/', '', 'a/b\n'])
    assert.throws(() => requireHubId(id), HubError, id);
  for (const name of ['..', '.', '.a', '-a', 'a/b', 'A', '', 'a..b']) assert.throws(() => requireModelName(name), HubError, name);
  for (const revision of ['../main', 'a//b', '', '/a', 'a b', '..']) assert.throws(() => requireRevision(revision), HubError, revision);
  assert.deepEqual([hub.requests, hidden()], [[], []]);
  hub.listed.push('../../escaped.json', '/etc/passwd', 'onnx/../../escaped.json', '.hidden.json');
  await pullHere();
  assert.deepEqual([hidden(), existsSync(join(folder, 'escaped.json')), existsSync(join(installed, '.hidden.json'))], [['opus-mt-en-fr'], false, false]);
});

test('without a token, with a wrong one, and for a model that is not there, it says what to do', async () => {
  assert.match((await model(['pull', ID], '')).out, /model_hub_token is missing/);
  const refused = await model(['pull', ID], 'wrong-token');
  assert.match(refused.out, /refuses .* \(401\): check \[ai\] model_hub_token/);
  assert.deepEqual([refused.code, refused.out.includes('wrong-token')], [1, false]);
  await assert.rejects(pullHere({ id: 'gatehouse/absent' }), /has no model gatehouse\/absent at revision main/);
  await assert.rejects(pullHere({ precision: 'q4' }), /no weights of precision q4 in ONNX form; it has onnx\/encoder_model\.onnx/);
});

test('wrong usage is told before anything is done, and ends with 2', async () => {
  for (const [args, told] of [
    [['bring', ID], /^usage: npm run model/],
    [[], /^usage: npm run model/],
    [['pull'], /^usage: npm run model/],
    [['pull', ID, 'more'], /^too many arguments\nusage: /],
    [['pull', ID, '--nonsense'], /'--nonsense'.*\nusage: /s],
    [['pull', ID, '--precision', 'q7'], /^--precision must be one of /],
    [['pull', 'nobody'], /^"nobody" is not the ID of a model on a hub/],
    [['pull', ID, '--revision', '../main'], /^"..\/main" is not a revision/],
    [['remove', '../x'], /^"..\/x" is not the name of a model/],
    [['list', '--config', ''], /^--config: needs a value\n/],
    [['list', '--data-dir', 'a', '--data-dir', 'b'], /^--data-dir: was given more than once; give it once\n/],
  ] as const) {
    const { code, out } = await model(args);
    assert.match(out, told, args.join(' '));
    assert.equal(code, 2, args.join(' '));
  }
});

test('on a terminal the progress is one line that moves, elsewhere a line for each file', async () => {
  const shown = async (isTTY: boolean) => {
    const texts: string[] = [];
    const output = { isTTY, columns: 60, write: (more: string) => texts.push(more) };
    await pullHere({ onProgress: progressOn(output, () => 200 * texts.length) });
    return texts.join('');
  };
  const bar = await shown(true);
  assert.match(bar, /\[#{6,}-+\] +\d+ % /);
  assert.match(bar, /\[#{24}\] 100 % (\d+\.\d kB) of \1 [^\n]*\n$/);
  assert.ok(bar.split('\r').every((line) => line.length < 70));
  assert.deepEqual((await shown(false)).split('\n').length - 1, 6);
});

test.run();
