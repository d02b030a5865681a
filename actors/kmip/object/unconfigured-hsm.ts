// The source for HSM identifiers when no HSM is configured: it holds no objects and says why.
import { Refusal } from '../../../kmip/refusal.ts';
import type { ObjectSource, ObjectWriter } from './object-source.ts';

const NOTHING: ObjectWriter = {
  held: async () => undefined,
  readWhole: async () => undefined,
  describe: async () => undefined,
  read: async () => undefined,
  insert: async ({ id }) => refuse(id),
  update: async ({ id }) => refuse(id),
  async remove() {},
  async copyGrants() {},
};

export const unconfiguredHsm: ObjectSource = {
  ...NOTHING,
  prefix: 'hsm',
  newIdentifier: (replaced = 'hsm') => refuse(replaced),
  requirePlace: refuse,
  absence: (name) => `${name} not found: No HSM is configured`,
  within: () => NOTHING,
  find: async () => ({ ids: [], total: 0 }),
};

function refuse(id: string): never {
  throw new Refusal('InvalidField', `${id} cannot be made: No HSM is configured`);
}
