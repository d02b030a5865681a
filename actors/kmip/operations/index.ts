// The operations that this server does, by name.
import { activate } from './activate.ts';
import { archive, recover } from './archive.ts';
import { certify } from './certify.ts';
import { create } from './create.ts';
import { createKeyPair } from './create-key-pair.ts';
import { createSplitKey } from './create-split-key.ts';
import { destroy } from './destroy.ts';
import { discoverVersions } from './discover-versions.ts';
import { exportObject, get } from './get.ts';
import { importObject } from './import.ts';
import { joinSplitKey } from './join-split-key.ts';
import { locate } from './locate.ts';
import type { Operation, OperationName } from './operation.ts';
import { query } from './query.ts';
import { reCertify } from './re-certify.ts';
import { register } from './register.ts';
import { revoke } from './revoke.ts';
import { setEndpointRole } from './set-endpoint-role.ts';
import { validate } from './validate.ts';

export const OPERATIONS: Readonly<Partial<Record<OperationName, Operation>>> = Object.freeze({
  Activate: activate,
  Archive: archive,
  Certify: certify,
  Create: create,
  CreateKeyPair: createKeyPair,
  CreateSplitKey: createSplitKey,
  Destroy: destroy,
  DiscoverVersions: discoverVersions,
  Export: exportObject,
  Get: get,
  Import: importObject,
  JoinSplitKey: joinSplitKey,
  Locate: locate,
  Query: query,
  ReCertify: reCertify,
  Recover: recover,
  Register: register,
  Revoke: revoke,
  SetEndpointRole: setEndpointRole,
  Validate: validate,
});
