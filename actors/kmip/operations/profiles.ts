// The server profiles that this server conforms to (KMIP Profiles 2.1), as Query answers them.
import type { ENUM } from '../ttlv/enumeration.ts';

export const PROFILES: readonly (keyof typeof ENUM.ProfileName)[] = [
  'BaselineServer',
  'CompleteServer',
  'TapeLibraryServer',
  'SymmetricKeyLifecycleServer',
  'AsymmetricKeyLifecycleServer',
  'BasicCryptographicServer',
  'AdvancedCryptographicServer',
  'RNGCryptographicServer',
  'SymmetricKeyFoundryServer',
  'OpaqueManagedObjectStoreServer',
  'StorageArrayWithSelfEncryptingDriveServer',
  'HTTPSServer',
  'JSONServer',
  'XMLServer',
  'AESXTSServer',
  'QuantumSafeServer',
  'PKCS_11Server',
];
