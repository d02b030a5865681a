// A plugin with one route that does nothing, to measure the cost of a POST over HTTPS without any work.
import { Section } from '../../kernel/config/schema.ts';
import { definePlugin } from '../../kernel/plugin.ts';

const ANSWER = new TextEncoder().encode('{}');

export default definePlugin<object, Record<string, never>>({
  name: 'empty',
  config: Section({}),
  tags: { Empty: 'For the benchmark.' },
  routes: () => [
    {
      method: 'POST',
      path: '/empty',
      auth: 'none',
      rawBody: true,
      tag: 'Empty',
      summary: 'Nothing',
      responses: { 200: { description: 'nothing' } },
      handle: () => ({ status: 200, body: ANSWER, type: 'application/json; charset=utf-8' }),
    },
  ],
});
