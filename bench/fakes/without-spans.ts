// Imported before a server: its threads get no-spans.ts in the place of the module that makes the steps of traces.
import { registerHooks } from 'node:module';

const INSTEAD = new URL('no-spans.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    return resolved.url.endsWith('/kernel/tracing/span.ts') ? { ...resolved, url: INSTEAD } : resolved;
  },
});
