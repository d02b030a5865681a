// The names of KMIP operations that /access accepts; a test compares them with the key server's own list.

export const OPERATION_NAMES: readonly string[] = `
Create CreateKeyPair Register ReKey DeriveKey Certify ReCertify Locate Check Get GetAttributes GetAttributeList AddAttribute ModifyAttribute
DeleteAttribute ObtainLease GetUsageAllocation Activate Revoke Destroy Archive Recover Validate Query Cancel Poll Notify Put ReKeyKeyPair
DiscoverVersions Encrypt Decrypt Sign SignatureVerify MAC MACVerify RNGRetrieve RNGSeed Hash CreateSplitKey JoinSplitKey Import Export Log Login
Logout DelegatedLogin AdjustAttribute SetAttribute SetEndpointRole PKCS_11 Interop ReProvision SetDefaults SetConstraints GetConstraints
QueryAsynchronousRequests Process Ping
`
  .trim()
  .split(/\s+/);
