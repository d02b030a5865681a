// A plugin for the bench: routes that read nothing and answer nothing, so their time is that of HTTPS, routing and the hooks of the front.
import { Section } from '../../kernel/config/schema.ts';
import type { Route } from '../../kernel/http/route.ts';
import { definePlugin } from '../../kernel/plugin.ts';

const ANSWER = new TextEncoder().encode('{}');

const route = (method: 'GET' | 'POST'): Route => ({
  method,
  path: '/empty',
  auth: 'none',
  ...(method === 'POST' && { rawBody: true }),
  tag: 'Empty',
  summary: 'Nothing',
  responses: { 200: { description: 'nothing' } },
  handle: () => ({ status: 200, body: ANSWER, type: 'application/json; charset=utf-8' }),
});

export default definePlugin<object, Record<string, never>>({
  name: 'empty',
  config: Section({}),
  tags: { Empty: 'For the benchmark.' },
  routes: () => [route('GET'), route('POST')],
});
