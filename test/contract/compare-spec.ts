// Holds endpoints.json against the tables of one document of the specification, where that is at hand: `compare-spec.ts FILE`.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Endpoint, specEndpoints, specErrorCodes } from './spec-endpoints.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: compare-spec.ts FILE');
const markdown = readFileSync(file, 'utf8');
type Listed = Endpoint & { readonly errors: readonly number[]; readonly document?: string };
const entries = JSON.parse(readFileSync(new URL('endpoints.json', import.meta.url), 'utf8')) as Listed[];
const ours = entries.filter(({ document = 'auth-service' }) => document === basename(file, '.md'));

const inWords = ({ method, path, query, statuses }: Endpoint) => `${method} ${path}${query === undefined ? '' : `?${query}`} ${statuses.join(' ')}`;
const specified = new Set(specEndpoints(markdown).map(inWords));
const listed = new Set(ours.map(inWords));
const codes = new Set(specErrorCodes(markdown));

const differences = [
  ...[...specified].filter((each) => !listed.has(each)).map((each) => `only in the specification: ${each}`),
  ...[...listed].filter((each) => !specified.has(each)).map((each) => `only in endpoints.json: ${each}`),
  ...ours.flatMap((each) => each.errors.filter((code) => !codes.has(code)).map((code) => `${inWords(each)}: ${code} is not in the part Errors`)),
];
if (specified.size === 0) differences.push(`${file}: no endpoint was found`);
for (const difference of differences) console.error(difference);
console.log(`endpoints.json and the specification: ${specified.size} endpoints, ${differences.length} differences`);
process.exitCode = differences.length > 0 ? 1 : 0;
