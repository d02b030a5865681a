// Loaded before the program and in each of its threads: resolves imports of one source by another without asking the file system, which would give the same answer.
// Node looks for the file, for links on the way to it and for the package.json above it, for each import of each thread: a quarter of the CPU of a start.
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

const SOURCES = new URL('..', import.meta.url).href;
const PACKAGES = `${SOURCES}node_modules/`;
/** Of a clone, and of a package. Files of other kinds may be somebody's own, with a package.json of theirs. */
const [EXTENSION, format] = existsSync(new URL('../main.ts', import.meta.url)) ? ['.ts', 'module-typescript'] : ['.js', 'module'];

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    const isOurs = specifier.startsWith('.') && specifier.endsWith(EXTENSION) && parentURL?.startsWith(SOURCES) && !parentURL.startsWith(PACKAGES);
    return isOurs ? { url: new URL(specifier, parentURL).href, format, shortCircuit: true } : next(specifier, context);
  },
});
