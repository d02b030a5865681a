// An external plugin as a user would write it, loaded by path: a configuration section, an actor, faults, a migration and routes.
export default {
  name: 'sample',
  config: {
    type: 'object',
    properties: { greeting: { type: 'string', default: 'hello' }, limit: { type: 'integer', default: 3, minimum: 1 } },
    additionalProperties: false,
    default: {},
  },
  faults: { SAMPLE_TOO_OFTEN: { status: 429, message: 'greeted too often', retry: true } },
  migrations: [{ id: 1, about: 'greetings', sql: 'CREATE TABLE sample_greeting (name TEXT PRIMARY KEY, times BIGINT NOT NULL)' }],
  actors: ({ greeting, limit }: { greeting: string; limit: number }) => ({
    greeter: {
      kind: 'pinned',
      module: new URL('./greeter.actor.ts', import.meta.url),
      deadlineMs: 5_000,
      store: true,
      instances: { main: { greeting, limit } },
    },
  }),
  routes: (ctx: { actors: { greeter: { at(key: string): { greet(name: string): Promise<string> } } } }) => [
    {
      method: 'GET',
      path: '/sample/{name}',
      auth: 'none',
      handle: async ({ params }: { params: { name: string } }) => ({ status: 200, body: { text: await ctx.actors.greeter.at('main').greet(params.name) } }),
    },
    {
      method: 'POST',
      path: '/sample',
      auth: ['cookie'],
      body: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'], additionalProperties: false },
      handle: ({ body, caller }: { body: { name: string }; caller: { username: string } }) => ({ status: 200, body: { name: body.name, by: caller.username } }),
    },
  ],
  status: () => ({ ready: true }),
};
