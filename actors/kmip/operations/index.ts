// The operations that this server does, by name.
import type { OperationName } from '../../../kmip/operation-name.ts';
import { activate } from './activate.ts';
import { addAttribute } from './add-attribute.ts';
import { adjustAttribute } from './adjust-attribute.ts';
import { archive, recover } from './archive.ts';
import { certify } from './certify.ts';
import { check } from './check.ts';
import { create } from './create.ts';
import { createKeyPair } from './create-key-pair.ts';
import { createSplitKey } from './create-split-key.ts';
import { decrypt } from './decrypt.ts';
import { deleteAttribute } from './delete-attribute.ts';
import { deriveKey } from './derive-key.ts';
import { destroy } from './destroy.ts';
import { discoverVersions } from './discover-versions.ts';
import { encrypt } from './encrypt.ts';
import { exportObject, get } from './get.ts';
import { getAttributeList } from './get-attribute-list.ts';
import { getAttributes } from './get-attributes.ts';
import { getUsageAllocation } from './get-usage-allocation.ts';
import { hash } from './hash.ts';
import { importObject } from './import.ts';
import { interop } from './interop.ts';
import { joinSplitKey } from './join-split-key.ts';
import { locate } from './locate.ts';
import { log } from './log.ts';
import { mac, macVerify } from './mac.ts';
import { modifyAttribute } from './modify-attribute.ts';
import { obtainLease } from './obtain-lease.ts';
import type { Operation } from './operation.ts';
import { pkcs11 } from './pkcs11.ts';
import { query } from './query.ts';
import { rngRetrieve, rngSeed } from './random.ts';
import { reCertify } from './re-certify.ts';
import { register } from './register.ts';
import { rekey } from './rekey.ts';
import { rekeyKeyPair } from './rekey-key-pair.ts';
import { revoke } from './revoke.ts';
import { setAttribute } from './set-attribute.ts';
import { setEndpointRole } from './set-endpoint-role.ts';
import { sign } from './sign.ts';
import { signatureVerify } from './signature-verify.ts';
import { validate } from './validate.ts';

export const OPERATIONS: Readonly<Partial<Record<OperationName, Operation>>> = Object.freeze({
  Activate: activate,
  AddAttribute: addAttribute,
  AdjustAttribute: adjustAttribute,
  Archive: archive,
  Certify: certify,
  Check: check,
  Create: create,
  CreateKeyPair: createKeyPair,
  CreateSplitKey: createSplitKey,
  Decrypt: decrypt,
  DeleteAttribute: deleteAttribute,
  DeriveKey: deriveKey,
  Destroy: destroy,
  DiscoverVersions: discoverVersions,
  Encrypt: encrypt,
  Export: exportObject,
  Get: get,
  GetAttributeList: getAttributeList,
  GetAttributes: getAttributes,
  GetUsageAllocation: getUsageAllocation,
  Hash: hash,
  Import: importObject,
  Interop: interop,
  JoinSplitKey: joinSplitKey,
  Locate: locate,
  Log: log,
  MAC: mac,
  MACVerify: macVerify,
  ModifyAttribute: modifyAttribute,
  ObtainLease: obtainLease,
  PKCS_11: pkcs11,
  Query: query,
  RNGRetrieve: rngRetrieve,
  RNGSeed: rngSeed,
  ReCertify: reCertify,
  ReKey: rekey,
  ReKeyKeyPair: rekeyKeyPair,
  Recover: recover,
  Register: register,
  Revoke: revoke,
  SetAttribute: setAttribute,
  SetEndpointRole: setEndpointRole,
  Sign: sign,
  SignatureVerify: signatureVerify,
  Validate: validate,
});
