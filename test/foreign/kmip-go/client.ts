// kmip-go, a client in Go, on the TLS listener: a tour of what it can do in every version, and its own examples.
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSecureServer } from '../../secure-server.ts';
import type { ForeignClient, Outcome } from '../client.ts';
import { goProgram, isPresent, outputOf } from '../program.ts';
import { outcomeOf, type Refusal } from '../steps.ts';
import { EXAMPLES_REFUSED } from './refused.ts';

const MODULE = 'github.com/ovh/kmip-go';
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export const KMIP_GO: ForeignClient = {
  name: 'kmip-go',
  prepare: (folder) => goProgram(folder, here('tour')),
  run: (folder) => visit(folder, []),
};

export const KMIP_GO_EXAMPLES: ForeignClient = {
  name: 'kmip-go-examples',
  async prepare(folder) {
    if (!isPresent('go')) return 'go is not here';
    const source = join(folder, 'source');
    return (await gathered(source)) ?? goProgram(folder, source);
  },
  run: (folder) => visit(folder, EXAMPLES_REFUSED),
};

/** The examples as the module has them, in a package with the program that calls each: only their main has another name. @returns why they are not at hand */
async function gathered(source: string): Promise<string | undefined> {
  mkdirSync(source);
  for (const name of ['each.go', 'go.mod', 'go.sum']) copyFileSync(here(`examples/${name}`), join(source, name));
  const { status, stdout } = await outputOf('go', ['mod', 'download', '-json', MODULE], { cwd: source });
  if (status !== 0) return `the module ${MODULE} cannot be fetched`;
  const { Dir: module } = JSON.parse(stdout) as { Dir: string };
  for (const file of globSync(join(module, 'examples', '*.go')))
    writeFileSync(join(source, basename(file)), readFileSync(file, 'utf8').replace(/^func main\(\)/m, 'func everything()'));
  return undefined;
}

async function visit(folder: string, refusals: readonly Refusal[]): Promise<Outcome> {
  const server = await startSecureServer({ config: '[keys.kmip_listener]\nenabled = true\nport = 0\n' });
  try {
    const { cert, key } = await server.client('gopher');
    const files = [server.file('authority.pem', server.authority.cert), server.file('gopher.pem', cert), server.file('gopher.key', key)];
    return outcomeOf(await outputOf(join(folder, 'program'), [`127.0.0.1:${server.kmipPort()}`, ...files]), refusals);
  } finally {
    await server.end();
  }
}
