// The operations that this server supports, by name.
import type { Operation, Operations } from '../operation.ts';
import { activate } from './activate.ts';
import { addAttribute } from './add-attribute.ts';
import { adjustAttribute } from './adjust-attribute.ts';
import { archive } from './archive.ts';
import { cancel } from './cancel.ts';
import { certify } from './certify.ts';
import { check } from './check.ts';
import { create } from './create.ts';
import { createKeyPair } from './create-key-pair.ts';
import { createSplitKey } from './create-split-key.ts';
import { deactivate } from './deactivate.ts';
import { decapsulate } from './decapsulate.ts';
import { decrypt } from './decrypt.ts';
import { delegatedLogin } from './delegated-login.ts';
import { deleteAttribute } from './delete-attribute.ts';
import { deriveKey } from './derive-key.ts';
import { destroy } from './destroy.ts';
import { discoverVersions } from './discover-versions.ts';
import { encapsulate } from './encapsulate.ts';
import { encrypt } from './encrypt.ts';
import { exportObject } from './export.ts';
import { get } from './get.ts';
import { getAttributeList } from './get-attribute-list.ts';
import { getAttributes } from './get-attributes.ts';
import { getConstraints } from './get-constraints.ts';
import { getUsageAllocation } from './get-usage-allocation.ts';
import { hash } from './hash.ts';
import { importObject } from './import.ts';
import { interop } from './interop.ts';
import { joinSplitKey } from './join-split-key.ts';
import { locate } from './locate.ts';
import { log } from './log.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { mac } from './mac.ts';
import { macVerify } from './mac-verify.ts';
import { modifyAttribute } from './modify-attribute.ts';
import { obliterate } from './obliterate.ts';
import { obtainLease } from './obtain-lease.ts';
import { ping } from './ping.ts';
import { pkcs11 } from './pkcs11.ts';
import { poll } from './poll.ts';
import { process } from './process.ts';
import { query } from './query.ts';
import { queryAsynchronousRequests } from './query-asynchronous-requests.ts';
import { reCertify } from './re-certify.ts';
import { recover } from './recover.ts';
import { register } from './register.ts';
import { rekey } from './rekey.ts';
import { rekeyKeyPair } from './rekey-key-pair.ts';
import { revoke } from './revoke.ts';
import { rngRetrieve } from './rng-retrieve.ts';
import { rngSeed } from './rng-seed.ts';
import { setAttribute } from './set-attribute.ts';
import { setConstraints } from './set-constraints.ts';
import { setDefaults } from './set-defaults.ts';
import { setEndpointRole } from './set-endpoint-role.ts';
import { sign } from './sign.ts';
import { signatureVerify } from './signature-verify.ts';
import { validate } from './validate.ts';

/** In the order in which Query lists them. */
const ALL: readonly Operation[] = [
  activate,
  addAttribute,
  adjustAttribute,
  archive,
  cancel,
  certify,
  check,
  create,
  createKeyPair,
  createSplitKey,
  deactivate,
  decapsulate,
  decrypt,
  delegatedLogin,
  deleteAttribute,
  deriveKey,
  destroy,
  discoverVersions,
  encapsulate,
  encrypt,
  exportObject,
  get,
  getAttributeList,
  getAttributes,
  getConstraints,
  getUsageAllocation,
  hash,
  importObject,
  interop,
  joinSplitKey,
  locate,
  log,
  login,
  logout,
  mac,
  macVerify,
  modifyAttribute,
  obliterate,
  obtainLease,
  ping,
  pkcs11,
  poll,
  process,
  query,
  queryAsynchronousRequests,
  rngRetrieve,
  rngSeed,
  reCertify,
  rekey,
  rekeyKeyPair,
  recover,
  register,
  revoke,
  setAttribute,
  setConstraints,
  setDefaults,
  setEndpointRole,
  sign,
  signatureVerify,
  validate,
];

export const OPERATIONS: Operations = Object.freeze(Object.fromEntries(ALL.map((operation) => [operation.name, operation])));
