// Loaded before a test file and in each thread that it starts: resolves imports of one source by another without asking the file system, which would give the same answer.
import { registerHooks } from 'node:module';

/** The module that says what a password hash costs, and the one that stands in for it: a test file sets GATEHOUSE_TEST_PASSWORD_COST to middle or full if it wants another. */
const [COST, LOW_COST, MIDDLE_COST] = ['../../actors/password/cost.ts', 'low-cost.ts', 'middle-cost.ts'].map((path) => new URL(path, import.meta.url).href);

/**
 * Node looks for the file, for links on the way to it and for the package.json above it, for each import of each thread. That is 40 % of the time in
 * which the threads of a server load their modules, and a run starts more than a thousand servers. Processes that tests start are without it.
 */
registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    const isSource = specifier.startsWith('.') && specifier.endsWith('.ts') && parentURL?.startsWith('file:');
    if (!isSource) return next(specifier, context);
    const { href } = new URL(specifier, parentURL);
    return { url: href === COST ? costOfHashes(href) : href, format: 'module-typescript', shortCircuit: true };
  },
});

function costOfHashes(full: string): string {
  const wanted = process.env['GATEHOUSE_TEST_PASSWORD_COST'];
  if (wanted === 'full') return full;
  return (wanted === 'middle' ? MIDDLE_COST : LOW_COST) as string;
}
