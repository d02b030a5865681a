// An external plugin with everything wrong that can be wrong before it starts.
export default {
  name: 'broken',
  config: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'], additionalProperties: false, default: {} },
  faults: { WRONG_PREFIX: { status: 400, message: 'x' }, BROKEN_STATUS: { status: 200, message: '' } },
  migrations: [{ id: 2, about: 'starts at two', sql: '' }],
  routes: 'not a function',
  rotues: () => [],
};
