// `npm run package -- npm | debian | oci [--out FOLDER] [--revision NUMBER]`: builds a package. docs/install.md tells what each is for.
import { parseArgs } from 'node:util';
import { makeDebianPackage } from './debian.ts';
import { makeNpmPackage } from './npm.ts';
import { makeImage } from './oci.ts';

interface Given {
  readonly out: string;
  readonly revision: string;
}

const KINDS: Readonly<Record<string, (given: Given) => string>> = {
  npm: ({ out }) => makeNpmPackage(out),
  debian: ({ out, revision }) => makeDebianPackage(out, { revision }),
  oci: ({ out }) => makeImage(out),
};
const USAGE = `usage: npm run package -- ${Object.keys(KINDS).join('|')} [--out FOLDER] [--revision NUMBER]`;

function given() {
  try {
    return parseArgs({ allowPositionals: true, options: { out: { type: 'string', default: 'dist' }, revision: { type: 'string', default: '1' } } });
  } catch {
    return undefined;
  }
}

const { values, positionals } = given() ?? {};
const make = KINDS[positionals?.[0] ?? ''];
if (!values || !make || positionals?.length !== 1) {
  console.error(USAGE);
  process.exit(2);
}
console.log(make(values));
