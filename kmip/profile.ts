// The server profiles of KMIP Profiles 2.1 and the operations that each requires: Query reports a profile if the server supports all of them.
import type { OperationName } from './operation-name.ts';
import { ENUM } from './ttlv/enumeration.ts';

type ProfileName = keyof typeof ENUM.ProfileName;

/** Section 5.1, including what it has required since version 1.4. Operations that a server sends to its clients do not count. */
const BASELINE: readonly OperationName[] = [
  ...(['DiscoverVersions', 'Query', 'Locate', 'Check', 'Get', 'GetAttributes', 'GetAttributeList'] as const),
  ...(['AddAttribute', 'ModifyAttribute', 'DeleteAttribute', 'SetAttribute'] as const),
  ...(['Create', 'Register', 'Activate', 'Revoke', 'Destroy', 'SetEndpointRole'] as const),
];
const BASIC_CRYPTOGRAPHIC: readonly OperationName[] = [...BASELINE, 'Encrypt', 'Decrypt'];
const RNG: readonly OperationName[] = ['RNGRetrieve', 'RNGSeed'];

/** Sections 5.1 to 5.18. QuantumSafeServer is missing because it requires McEliece and SPHINCS-256, which this server does not support. */
export const PROFILES: Readonly<Partial<Record<ProfileName, readonly OperationName[]>>> = Object.freeze({
  BaselineServer: BASELINE,
  /** Requires all operations of the specification. */
  CompleteServer: Object.keys(ENUM.Operation) as OperationName[],
  TapeLibraryServer: BASELINE,
  SymmetricKeyLifecycleServer: BASELINE,
  AsymmetricKeyLifecycleServer: [...BASELINE, 'CreateKeyPair'],
  BasicCryptographicServer: BASIC_CRYPTOGRAPHIC,
  AdvancedCryptographicServer: [...BASIC_CRYPTOGRAPHIC, ...RNG, 'Sign', 'SignatureVerify', 'MAC', 'MACVerify', 'Hash'],
  RNGCryptographicServer: [...BASELINE, ...RNG],
  SymmetricKeyFoundryServer: BASELINE,
  OpaqueManagedObjectStoreServer: BASELINE,
  StorageArrayWithSelfEncryptingDriveServer: BASELINE,
  HTTPSServer: BASELINE,
  JSONServer: BASELINE,
  XMLServer: BASELINE,
  AESXTSServer: BASELINE,
  PKCS_11Server: [...BASELINE, 'PKCS_11'],
});

/** @param served the operations of this server */
export function profilesServed(served: ReadonlySet<string>): ProfileName[] {
  return (Object.keys(PROFILES) as ProfileName[]).filter((name) => PROFILES[name]?.every((operation) => served.has(operation)));
}
