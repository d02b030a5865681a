// The operations that this server does, by name.
import { activate } from './activate.ts';
import { archive, recover } from './archive.ts';
import { create } from './create.ts';
import { createKeyPair } from './create-key-pair.ts';
import { destroy } from './destroy.ts';
import { discoverVersions } from './discover-versions.ts';
import { exportObject, get } from './get.ts';
import { importObject } from './import.ts';
import { locate } from './locate.ts';
import type { Operation, OperationName } from './operation.ts';
import { query } from './query.ts';
import { register } from './register.ts';
import { revoke } from './revoke.ts';
import { setEndpointRole } from './set-endpoint-role.ts';

export const OPERATIONS: Readonly<Partial<Record<OperationName, Operation>>> = Object.freeze({
  Activate: activate,
  Archive: archive,
  Create: create,
  CreateKeyPair: createKeyPair,
  Destroy: destroy,
  DiscoverVersions: discoverVersions,
  Export: exportObject,
  Get: get,
  Import: importObject,
  Locate: locate,
  Query: query,
  Recover: recover,
  Register: register,
  Revoke: revoke,
  SetEndpointRole: setEndpointRole,
});
