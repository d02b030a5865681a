// Loaded before a test file and in each thread that it starts: resolves imports of one source by another without asking the file system, which answers what they say.
import { registerHooks } from 'node:module';

/**
 * Node looks for the file, for links on the way to it and for the package.json above it, for each import of each thread. That is 40 % of the time in
 * which the threads of a server load their modules, and a run starts more than a thousand servers. Processes that tests start are without it.
 */
registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    const isSource = specifier.startsWith('.') && specifier.endsWith('.ts') && parentURL?.startsWith('file:');
    return isSource ? { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true } : next(specifier, context);
  },
});
