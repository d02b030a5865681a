// `npm run fill`: brings a store to given numbers of rows, for measurements. Not for a store that anybody uses.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError } from '../kernel/config/config-error.ts';
import { storeUrl } from '../kernel/store/store-url.ts';
import { fill, KINDS, type Kind, type Sizes, UnfitStore } from './filling/fill.ts';

const USAGE = `usage: npm run fill -- --store URL --data-dir FOLDER [--objects N] [--users N] [--sessions N] [--machines N] [--admins N] [--audit N]

Adds rows until the store has so many of each kind. It needs a store that a server has been started with once, and the data folder of that server with
its root key (or its root key in GATEHOUSE_STORE_ROOT_KEY). A URL that begins with sqlite: is relative to the data folder. Ctrl-C ends the run after
the batch that is under way; the same command goes on from there. Nobody knows the secrets of what it makes. For measurements only.`;

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite:gatehouse.db' },
    'data-dir': { type: 'string', default: '' },
    ...Object.fromEntries(KINDS.map((kind) => [kind, { type: 'string', default: '0' } as const])),
    help: { type: 'boolean', default: false },
  },
});

const sizes = Object.fromEntries(KINDS.map((kind) => [kind, Number((values as Record<string, unknown>)[kind])])) as Record<Kind, number> satisfies Sizes;
const isWrong = values['data-dir'] === '' || Object.values(sizes).some((size) => !Number.isSafeInteger(size) || size < 0);
if (values.help || isWrong) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

let isInterrupted = false;
process.once('SIGINT', () => {
  isInterrupted = true;
});
const dataDir = resolve(String(values['data-dir']));
const begun = performance.now();
let toldAt = begun;
try {
  const url = storeUrl(String(values.store), dataDir, '--store');
  await fill({ url, dataDir, rootKey: process.env['GATEHOUSE_STORE_ROOT_KEY'] ?? '' }, sizes, (kind, there) => {
    const isEnd = there === sizes[kind];
    if (isEnd || isInterrupted || performance.now() - toldAt > 5_000) {
      toldAt = performance.now();
      console.log(`${((toldAt - begun) / 1_000).toFixed(0)} s: ${there} of ${sizes[kind]} ${kind}`);
    }
    return !isInterrupted;
  });
} catch (error) {
  if (!(error instanceof UnfitStore || error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
