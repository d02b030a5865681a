// An external plugin whose routes have schemas that are not valid, that cannot be compiled, and that can.
import { Type } from 'typebox';
import type { Route } from '../../kernel/http/route.ts';
import { definePlugin } from '../../kernel/plugin.ts';

const about = { auth: 'none', tag: 'unfit', summary: 'Unfit', handle: () => ({ status: 204 }) } as const;
const one = (schema: object) => ({ type: 'object', properties: { a: schema } });

export default definePlugin({
  name: 'unfit',
  config: Type.Object({}, { additionalProperties: false, default: {} }),
  routes: () =>
    [
      { ...about, method: 'POST', path: '/unfit', body: one({ type: 'string', maxLength: 'long' }) },
      { ...about, method: 'GET', path: '/unfit', query: one({ type: 'string', longest: 3 }) },
      { ...about, method: 'GET', path: '/unfit/{a}', params: one({ type: 'text' }) },
      { ...about, method: 'PUT', path: '/unfit/{a}', body: one({ type: 'string' }) },
    ] as unknown as Route[],
});
