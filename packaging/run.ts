// `npm run package -- npm | debian | oci [--out FOLDER]`: builds a package. docs/install.md tells what each is for.
import { parseArgs } from 'node:util';
import { makeNpmPackage } from './npm.ts';

const KINDS: Readonly<Record<string, (out: string) => readonly string[]>> = {
  npm: (out) => [makeNpmPackage(out)],
};
const USAGE = `usage: npm run package -- ${Object.keys(KINDS).join('|')} [--out FOLDER]`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: 'string', default: 'dist' } } });
const make = KINDS[positionals[0] ?? ''];
if (!make || positionals.length !== 1) {
  console.error(USAGE);
  process.exit(2);
}
for (const path of make(values.out)) console.log(path);
