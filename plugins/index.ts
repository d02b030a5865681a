// The list of built-in plugins, in the order in which they start.
import type { AnyPlugin } from '../kernel/plugin.ts';
import ai from './ai/plugin.ts';
import auth from './auth/plugin.ts';
import console from './console/plugin.ts';
import docs from './docs/plugin.ts';
import hsm from './hsm/plugin.ts';
import keys from './keys/plugin.ts';
import tokenize from './tokenize/plugin.ts';

export const BUILT_IN: readonly AnyPlugin[] = [auth, hsm, keys, tokenize, ai, docs, console];
