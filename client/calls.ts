// The calls of the public HTTP API with their types. Generated from the OpenAPI description by `npm run client`; do not edit.

export interface Calls {
  /** Public keys of certificates */
  'GET /.well-known/certificate-jwks.json': {
    answer: { keys: readonly (Record<string, unknown>)[] };
  };
  /** Public keys of session tokens */
  'GET /.well-known/jwks.json': {
    answer: { keys: readonly (Record<string, unknown>)[] };
  };
  /** Check which operations you may do with an object; only its owner may check another user's rights */
  'POST /access/check': {
    body: { unique_identifier: string; user_id?: string | undefined; operation_types: readonly ('create' | 'createkeypair' | 'register' | 'rekey' | 'derivekey' | 'certify' | 'recertify' | 'locate' | 'check' | 'get' | 'getattributes' | 'getattributelist' | 'addattribute' | 'modifyattribute' | 'deleteattribute' | 'obtainlease' | 'getusageallocation' | 'activate' | 'revoke' | 'destroy' | 'archive' | 'recover' | 'validate' | 'query' | 'cancel' | 'poll' | 'notify' | 'put' | 'rekeykeypair' | 'discoverversions' | 'encrypt' | 'decrypt' | 'sign' | 'signatureverify' | 'mac' | 'macverify' | 'rngretrieve' | 'rngseed' | 'hash' | 'createsplitkey' | 'joinsplitkey' | 'import' | 'export' | 'log' | 'login' | 'logout' | 'delegatedlogin' | 'adjustattribute' | 'setattribute' | 'setendpointrole' | 'pkcs_11' | 'interop' | 'reprovision' | 'setdefaults' | 'setconstraints' | 'getconstraints' | 'queryasynchronousrequests' | 'process' | 'ping' | 'creategroup' | 'obliterate' | 'createuser' | 'createcredential' | 'deactivate' | 'encapsulate' | 'decapsulate')[] };
    answer: { allowed: Record<string, boolean> };
  };
  /** Tell whether you may create objects */
  'GET /access/create': {
    answer: { has_create_permission: boolean };
  };
  /** Destroy the objects of a deleted account (super admins only) */
  'POST /access/destroy': {
    body: { from: string; unique_identifier?: string | undefined };
    answer: { destroyed: number; remaining: number };
  };
  /** Grant a user operations on an object */
  'POST /access/grant': {
    body: { unique_identifier?: string | undefined; user_id: string; operation_types: readonly ('create' | 'createkeypair' | 'register' | 'rekey' | 'derivekey' | 'certify' | 'recertify' | 'locate' | 'check' | 'get' | 'getattributes' | 'getattributelist' | 'addattribute' | 'modifyattribute' | 'deleteattribute' | 'obtainlease' | 'getusageallocation' | 'activate' | 'revoke' | 'destroy' | 'archive' | 'recover' | 'validate' | 'query' | 'cancel' | 'poll' | 'notify' | 'put' | 'rekeykeypair' | 'discoverversions' | 'encrypt' | 'decrypt' | 'sign' | 'signatureverify' | 'mac' | 'macverify' | 'rngretrieve' | 'rngseed' | 'hash' | 'createsplitkey' | 'joinsplitkey' | 'import' | 'export' | 'log' | 'login' | 'logout' | 'delegatedlogin' | 'adjustattribute' | 'setattribute' | 'setendpointrole' | 'pkcs_11' | 'interop' | 'reprovision' | 'setdefaults' | 'setconstraints' | 'getconstraints' | 'queryasynchronousrequests' | 'process' | 'ping' | 'creategroup' | 'obliterate' | 'createuser' | 'createcredential' | 'deactivate' | 'encapsulate' | 'decapsulate')[] };
    answer: { success: string };
  };
  /** List who may use an object (owner only) */
  'GET /access/list/{object_id}': {
    params: { object_id: string };
    query?: { limit?: number | undefined; after?: string | undefined };
    answer: readonly ({ user_id: string; operations: readonly (string)[] })[];
  };
  /** List the objects of others that you may use, and the operations allowed; objects granted to you by name come first */
  'GET /access/obtained': {
    query?: { limit?: number | undefined; after?: string | undefined };
    answer: readonly ({ object_id: string; owner_id: string; state: string; operations: readonly (string)[] })[];
  };
  /** List the objects that you own, newest first */
  'GET /access/owned': {
    query?: { limit?: number | undefined; after?: string | undefined };
    answer: readonly ({ object_id: string; state: string; attributes: unknown })[];
  };
  /** Tell whether you are a privileged user, who may always create objects and may grant that right */
  'GET /access/privileged': {
    answer: { has_privileged_access: boolean };
  };
  /** Revoke a user's operations on an object */
  'POST /access/revoke': {
    body: { unique_identifier?: string | undefined; user_id: string; operation_types: readonly ('create' | 'createkeypair' | 'register' | 'rekey' | 'derivekey' | 'certify' | 'recertify' | 'locate' | 'check' | 'get' | 'getattributes' | 'getattributelist' | 'addattribute' | 'modifyattribute' | 'deleteattribute' | 'obtainlease' | 'getusageallocation' | 'activate' | 'revoke' | 'destroy' | 'archive' | 'recover' | 'validate' | 'query' | 'cancel' | 'poll' | 'notify' | 'put' | 'rekeykeypair' | 'discoverversions' | 'encrypt' | 'decrypt' | 'sign' | 'signatureverify' | 'mac' | 'macverify' | 'rngretrieve' | 'rngseed' | 'hash' | 'createsplitkey' | 'joinsplitkey' | 'import' | 'export' | 'log' | 'login' | 'logout' | 'delegatedlogin' | 'adjustattribute' | 'setattribute' | 'setendpointrole' | 'pkcs_11' | 'interop' | 'reprovision' | 'setdefaults' | 'setconstraints' | 'getconstraints' | 'queryasynchronousrequests' | 'process' | 'ping' | 'creategroup' | 'obliterate' | 'createuser' | 'createcredential' | 'deactivate' | 'encapsulate' | 'decapsulate')[] };
    answer: { success: string };
  };
  /** List deleted accounts that still own objects (super admins only) */
  'GET /access/tombstones': {
    query?: { limit?: number | undefined; after?: string | undefined };
    answer: { tombstones: readonly ({ account: string; name: string; ended_at: number | null; objects: number })[]; next: string | null };
  };
  /** Hand over the objects of a deleted account (super admins only) */
  'POST /access/transfer': {
    body: { from: string; to: string; unique_identifier?: string | undefined };
    answer: { transferred: number; remaining: number };
  };
  /** Add a document to a base, or replace it */
  'POST /add_reference': {
    form: { file: string | Blob; db: string | Blob; reference: string | Blob };
    answer: string;
  };
  /** Create an admin */
  'POST /admins': {
    body: { id: string; realms: readonly (string)[]; userpass?: string | null | undefined; jwt?: string | null | undefined; fido2?: string | null | undefined; digital_credentials?: Record<string, unknown> | null | undefined; client_certificate?: string | null | undefined; totp_enabled?: unknown | undefined; totp_secret?: unknown | undefined; totp_auth_url?: unknown | undefined };
    answer: { id: string; realms: readonly (string)[]; userpass: string | null; jwt: string | null; fido2: string | null; digital_credentials: Record<string, unknown> | null; client_certificate: string | null; totp_enabled: boolean; totp_secret: null; totp_auth_url: null };
  };
  /** List all admins */
  'GET /admins': {
    query?: { limit?: number | undefined; after?: string | undefined; prefix?: string | undefined };
    answer: readonly ({ id: string; realms: readonly (string)[]; userpass: string | null; jwt: string | null; fido2: string | null; digital_credentials: Record<string, unknown> | null; client_certificate: string | null; totp_enabled: boolean; totp_secret: null; totp_auth_url: null })[];
  };
  /** Create a realm */
  'POST /admins/realms': {
    body: { id: string; auth_params?: { username_password_params?: { enabled?: boolean | undefined; allow_expired_passwords?: boolean | undefined } | null | undefined; jwt_params?: { idp_params?: readonly ({ jwt_issuer_uri: string; jwks_uri: string; jwt_audience?: string | null | undefined })[] | undefined; smallest_refresh_interval_seconds?: number | undefined } | null | undefined; totp_params?: { algorithm?: 'SHA1' | 'SHA256' | 'SHA512' | undefined; step?: number | undefined } | null | undefined } | null | undefined; session_max_age_seconds?: number | undefined; session_max_stale_age_seconds?: number | undefined; certificate_max_age_seconds?: number | undefined; password_max_age_seconds?: number | undefined };
    answer: { id: string; auth_params: Record<string, unknown>; session_max_age_seconds: number; session_max_stale_age_seconds: number; certificate_max_age_seconds: number; password_max_age_seconds: number };
  };
  /** List the realms that the caller administers */
  'GET /admins/realms': {
    query?: { limit?: number | undefined; after?: string | undefined; prefix?: string | undefined };
    answer: readonly ({ id: string; auth_params: Record<string, unknown>; session_max_age_seconds: number; session_max_stale_age_seconds: number; certificate_max_age_seconds: number; password_max_age_seconds: number })[];
  };
  /** Get a realm */
  'GET /admins/realms/{realm_id}': {
    params: { realm_id: string };
    answer: { id: string; auth_params: Record<string, unknown>; session_max_age_seconds: number; session_max_stale_age_seconds: number; certificate_max_age_seconds: number; password_max_age_seconds: number };
  };
  /** Replace a realm */
  'PUT /admins/realms/{realm_id}': {
    params: { realm_id: string };
    body: { id?: string | undefined; auth_params?: { username_password_params?: { enabled?: boolean | undefined; allow_expired_passwords?: boolean | undefined } | null | undefined; jwt_params?: { idp_params?: readonly ({ jwt_issuer_uri: string; jwks_uri: string; jwt_audience?: string | null | undefined })[] | undefined; smallest_refresh_interval_seconds?: number | undefined } | null | undefined; totp_params?: { algorithm?: 'SHA1' | 'SHA256' | 'SHA512' | undefined; step?: number | undefined } | null | undefined } | null | undefined; session_max_age_seconds?: number | undefined; session_max_stale_age_seconds?: number | undefined; certificate_max_age_seconds?: number | undefined; password_max_age_seconds?: number | undefined };
    answer: { id: string; auth_params: Record<string, unknown>; session_max_age_seconds: number; session_max_stale_age_seconds: number; certificate_max_age_seconds: number; password_max_age_seconds: number };
  };
  /** Delete a realm and everything that belongs to it */
  'DELETE /admins/realms/{realm_id}': {
    params: { realm_id: string };
    answer: undefined;
  };
  /** List the credentials of all realms */
  'GET /admins/userpass': {
    query?: { limit?: number | undefined; after?: string | undefined };
    answer: readonly ({ realm: string; username: string; password_hash: ''; change_password: boolean; roles: readonly (string)[]; extra_claims: Record<string, unknown> | null })[];
  };
  /** Get an admin */
  'GET /admins/{admin_id}': {
    params: { admin_id: string };
    answer: { id: string; realms: readonly (string)[]; userpass: string | null; jwt: string | null; fido2: string | null; digital_credentials: Record<string, unknown> | null; client_certificate: string | null; totp_enabled: boolean; totp_secret: null; totp_auth_url: null };
  };
  /** Replace an admin */
  'PUT /admins/{admin_id}': {
    params: { admin_id: string };
    body: { id?: string | undefined; realms: readonly (string)[]; userpass?: string | null | undefined; jwt?: string | null | undefined; fido2?: string | null | undefined; digital_credentials?: Record<string, unknown> | null | undefined; client_certificate?: string | null | undefined; totp_enabled?: unknown | undefined; totp_secret?: unknown | undefined; totp_auth_url?: unknown | undefined };
    answer: { id: string; realms: readonly (string)[]; userpass: string | null; jwt: string | null; fido2: string | null; digital_credentials: Record<string, unknown> | null; client_certificate: string | null; totp_enabled: boolean; totp_secret: null; totp_auth_url: null };
  };
  /** Delete an admin and its credentials */
  'DELETE /admins/{admin_id}': {
    params: { admin_id: string };
    answer: undefined;
  };
  /** Add a realm to an admin */
  'PUT /admins/{admin_id}/realms/{realm_id}': {
    params: { admin_id: string; realm_id: string };
    answer: { id: string; realms: readonly (string)[]; userpass: string | null; jwt: string | null; fido2: string | null; digital_credentials: Record<string, unknown> | null; client_certificate: string | null; totp_enabled: boolean; totp_secret: null; totp_auth_url: null };
  };
  /** Remove a realm from an admin */
  'DELETE /admins/{admin_id}/realms/{realm_id}': {
    params: { admin_id: string; realm_id: string };
    answer: { id: string; realms: readonly (string)[]; userpass: string | null; jwt: string | null; fido2: string | null; digital_credentials: Record<string, unknown> | null; client_certificate: string | null; totp_enabled: boolean; totp_secret: null; totp_auth_url: null };
  };
  /** Read the audit log, a page at a time */
  'GET /audit': {
    query?: { realm?: string | undefined; event?: string | undefined; actor?: string | undefined; order?: 'oldest' | 'newest' | undefined; after?: string | undefined; limit?: number | undefined };
    answer: { events: readonly (Record<string, unknown>)[]; next: string | null };
  };
  /** Sign in with a role */
  'POST /auth/approle/login': {
    body: { role_id: string; secret_id?: string | null | undefined };
    answer: { auth: { client_token: string; renewable: boolean; lease_duration: number; policies: readonly (string)[]; metadata: Record<string, unknown> } };
  };
  /** Sign in with a role */
  'PUT /auth/approle/login': {
    body: { role_id: string; secret_id?: string | null | undefined };
    answer: { auth: { client_token: string; renewable: boolean; lease_duration: number; policies: readonly (string)[]; metadata: Record<string, unknown> } };
  };
  /** List the names of the roles */
  'GET /auth/approle/role': {
    query?: { list?: boolean | undefined; limit?: number | undefined; after?: string | undefined };
    answer: { data: Record<string, unknown> };
  };
  /** Create or replace a role */
  'POST /auth/approle/role/{name}': {
    params: { name: string };
    body?: { token_ttl?: number | undefined; token_max_ttl?: number | undefined; token_explicit_max_ttl?: number | undefined; token_policies?: readonly (string)[] | undefined; token_renewable?: boolean | undefined; token_bound_cidrs?: readonly (string)[] | string | undefined; token_num_uses?: number | undefined; secret_id_ttl?: number | undefined; secret_id_num_uses?: number | undefined; secret_id_bound_cidrs?: readonly (string)[] | string | undefined; bind_secret_id?: boolean | undefined };
    answer: undefined;
  };
  /** Get a role */
  'GET /auth/approle/role/{name}': {
    params: { name: string };
    answer: { data: Record<string, unknown> };
  };
  /** Delete a role */
  'DELETE /auth/approle/role/{name}': {
    params: { name: string };
    answer: undefined;
  };
  /** Revoke every token of a role */
  'POST /auth/approle/role/{name}/revoke-tokens': {
    params: { name: string };
    answer: undefined;
  };
  /** Get the id of a role */
  'GET /auth/approle/role/{name}/role-id': {
    params: { name: string };
    answer: { data: Record<string, unknown> };
  };
  /** Generate a secret id */
  'POST /auth/approle/role/{name}/secret-id': {
    params: { name: string };
    body?: { ttl?: number | undefined; num_uses?: number | undefined; cidr_list?: readonly (string)[] | string | undefined; token_bound_cidrs?: readonly (string)[] | string | undefined };
    answer: { data: Record<string, unknown> };
  };
  /** List the accessors of the secret ids of a role */
  'GET /auth/approle/role/{name}/secret-id': {
    params: { name: string };
    query?: { list?: boolean | undefined; limit?: number | undefined; after?: string | undefined };
    answer: { data: Record<string, unknown> };
  };
  /** Destroy a secret id */
  'POST /auth/approle/role/{name}/secret-id/destroy': {
    params: { name: string };
    body: { secret_id_accessor: string };
    answer: undefined;
  };
  /** List the tokens of a role, by accessor */
  'GET /auth/approle/role/{name}/tokens': {
    params: { name: string };
    query?: { list?: boolean | undefined; limit?: number | undefined; after?: string | undefined };
    answer: { data: { tokens: readonly ({ accessor: string; entity_id: string; creation_time: number; expire_time: string | null })[] } };
  };
  /** Revoke a token of a role by its accessor */
  'POST /auth/approle/role/{name}/tokens/revoke': {
    params: { name: string };
    body: { accessor: string };
    answer: undefined;
  };
  /** Sign in with a service account */
  'POST /auth/cluster/login': {
    body: { role: string; jwt: string };
    answer: { auth: { client_token: string; renewable: boolean; lease_duration: number; policies: readonly (string)[]; metadata: Record<string, unknown> } };
  };
  /** List the names of the cluster roles */
  'GET /auth/cluster/role': {
    query?: { list?: boolean | undefined; limit?: number | undefined; after?: string | undefined };
    answer: { data: Record<string, unknown> };
  };
  /** Create or replace a cluster role */
  'POST /auth/cluster/role/{name}': {
    params: { name: string };
    body: { jwks_url: string; bound_service_account_names: readonly (string)[]; bound_service_account_namespaces: readonly (string)[]; token_ttl: number; token_max_ttl?: number | undefined; token_explicit_max_ttl?: number | undefined; token_policies?: readonly (string)[] | undefined; token_renewable?: boolean | undefined; token_bound_cidrs?: readonly (string)[] | string | undefined; token_num_uses?: number | undefined; expected_issuer?: string | undefined; bound_audiences?: readonly (string)[] | undefined; audience?: string | undefined };
    answer: undefined;
  };
  /** Get a cluster role */
  'GET /auth/cluster/role/{name}': {
    params: { name: string };
    answer: { data: Record<string, unknown> };
  };
  /** Delete a cluster role */
  'DELETE /auth/cluster/role/{name}': {
    params: { name: string };
    answer: undefined;
  };
  /** Revoke every token of a cluster role */
  'POST /auth/cluster/role/{name}/revoke-tokens': {
    params: { name: string };
    answer: undefined;
  };
  /** List the tokens of a cluster role, by accessor */
  'GET /auth/cluster/role/{name}/tokens': {
    params: { name: string };
    query?: { list?: boolean | undefined; limit?: number | undefined; after?: string | undefined };
    answer: { data: { tokens: readonly ({ accessor: string; entity_id: string; creation_time: number; expire_time: string | null })[] } };
  };
  /** Revoke a token of a cluster role by its accessor */
  'POST /auth/cluster/role/{name}/tokens/revoke': {
    params: { name: string };
    body: { accessor: string };
    answer: undefined;
  };
  /** Look up another token */
  'POST /auth/token/lookup': {
    body: { token: string; increment?: unknown | undefined };
    answer: { data: Record<string, unknown> };
  };
  /** Look up the token of the request */
  'GET /auth/token/lookup-self': {
    answer: { data: Record<string, unknown> };
  };
  /** Renew another token */
  'POST /auth/token/renew': {
    body: { token: string; increment?: unknown | undefined };
    answer: { auth: { client_token: string; renewable: boolean; lease_duration: number; policies: readonly (string)[]; metadata: Record<string, unknown> } };
  };
  /** Renew the token of the request */
  'POST /auth/token/renew-self': {
    answer: { auth: { client_token: string; renewable: boolean; lease_duration: number; policies: readonly (string)[]; metadata: Record<string, unknown> } };
  };
  /** Revoke another token */
  'POST /auth/token/revoke': {
    body: { token: string; increment?: unknown | undefined };
    answer: undefined;
  };
  /** Revoke the token of the request */
  'POST /auth/token/revoke-self': {
    answer: undefined;
  };
  /** Issue a certificate that binds a public key to the identity of the session */
  'POST /certify': {
    query?: { realm?: string | undefined };
    body: { verification_key: string; claims?: readonly (string)[] | undefined; exclude_sub?: boolean | undefined };
    answer: { certificate: string };
  };
  /** Answer from a text */
  'POST /context_predict': {
    form: { context: string | Blob; query: string | Blob };
    answer: { result: readonly (string)[] };
  };
  /** Delete a document from a base */
  'DELETE /delete_reference': {
    form: { db: string | Blob; reference: string | Blob };
    answer: string;
  };
  /** List documentary bases and their references */
  'GET /documentary_bases': {
    answer: { documentary_bases: Record<string, readonly (string)[]> };
  };
  /** Check that the process serves requests */
  'GET /health': {
    answer: { status: 'UP' };
  };
  /** List the HSM instances with the current status of their slots */
  'GET /hsm/status': {
    answer: readonly ({ prefix: string; model: string; slots: readonly ({ slot_id: number; accessible: boolean })[] })[];
  };
  /** KMIP 1.0 to 2.1 and 3.0 in JSON, in XML (text/xml) or in TTLV (application/octet-stream) */
  'POST /kmip': {
    body: { tag: string; value: readonly (unknown)[] };
    answer: { tag: string; value: readonly (unknown)[] };
  };
  /** KMIP 1.4 in JSON: one operation, or a RequestMessage */
  'POST /kmip/1_4': {
    body: { tag: string; value: readonly (unknown)[] };
    answer: { tag: string; value: readonly (unknown)[] };
  };
  /** KMIP 2.1 in JSON: one operation, or a RequestMessage */
  'POST /kmip/2_1': {
    body: { tag: string; value: readonly (unknown)[] };
    answer: { tag: string; value: readonly (unknown)[] };
  };
  /** Sign in to a realm */
  'POST /login': {
    query: { realm: string };
    body?: { totp_code?: string | null | undefined; new_password?: string | null | undefined; public_key_pem?: null | undefined };
    answer: { next_step: 'Authenticated' | 'TotpRequired' | 'ChangePassword'; session_id: string | null };
  };
  /** Get the identity of the caller: the name that owns objects and receives grants */
  'GET /me': {
    answer: { user: string; realm?: string | undefined; scheme: string };
  };
  /** List the language models with their states */
  'GET /models': {
    answer: { models: readonly ({ id: string; task: string; engine: string; languages: readonly (string)[]; state: string; missing: readonly (string)[]; problem?: string | undefined; revision?: string | undefined; memory_mb: number; requests: number })[]; embedding?: { references: number; waiting: number; problem?: string | undefined } | undefined };
  };
  /** Get the configuration in use, without secrets, and where each value comes from */
  'GET /operations/config': {
    answer: { settings: readonly ({ key: string; value: unknown; source: string })[] };
  };
  /** Get the metrics in the text format of Prometheus */
  'GET /operations/metrics': {
    answer: string;
  };
  /** Get what is not ready, and what is degraded */
  'GET /operations/status': {
    answer: { version: string; not_ready: readonly (string)[]; degraded: readonly (string)[] };
  };
  /** Get the version of the server */
  'GET /public/version': {
    answer: string;
  };
  /** Answer from a documentary base */
  'POST /rag_predict': {
    form: { db: string | Blob; query: string | Blob; sources?: string | Blob; ranking?: string | Blob; limit?: string | Blob };
    answer: { result: readonly (string)[]; sources?: readonly ({ reference: string; chapter?: string | undefined; page?: number | undefined; text: string; score: number })[] | undefined };
  };
  /** Check that every part of the server is ready */
  'GET /ready': {
    answer: { status: 'READY' | 'NOT_READY'; not_ready?: readonly (string)[] | undefined; degraded?: readonly (string)[] | undefined };
  };
  /** Generate a secret for a second factor */
  'POST /realms/{realm_id}/totp/generate': {
    params: { realm_id: string };
    body: { username: string; issuer?: string | undefined };
    answer: { secret_base32: string; otpauth_url: string };
  };
  /** Enable a second factor */
  'POST /realms/{realm_id}/totp/verify': {
    params: { realm_id: string };
    body: { username: string; token: string; secret: string; issuer?: string | undefined; totp_code?: string | null | undefined };
    answer: undefined;
  };
  /** Disable a second factor */
  'DELETE /realms/{realm_id}/totp/{username}': {
    params: { realm_id: string; username: string };
    body?: { totp_code?: string | null | undefined };
    answer: undefined;
  };
  /** Create a credential */
  'POST /realms/{realm_id}/userpass': {
    params: { realm_id: string };
    body: { realm?: string | undefined; password_hash?: unknown | undefined; change_password?: boolean | undefined; roles?: readonly (string)[] | undefined; extra_claims?: Record<string, unknown> | null | undefined; username: string; password_input: { plaintext: string } | { hashed: string } };
    answer: { realm: string; username: string; password_hash: ''; change_password: boolean; roles: readonly (string)[]; extra_claims: Record<string, unknown> | null };
  };
  /** List the credentials of a realm */
  'GET /realms/{realm_id}/userpass': {
    params: { realm_id: string };
    query?: { limit?: number | undefined; after?: string | undefined; prefix?: string | undefined };
    answer: readonly ({ realm: string; username: string; password_hash: ''; change_password: boolean; roles: readonly (string)[]; extra_claims: Record<string, unknown> | null })[];
  };
  /** Get a credential */
  'GET /realms/{realm_id}/userpass/{username}': {
    params: { realm_id: string; username: string };
    answer: { realm: string; username: string; password_hash: ''; change_password: boolean; roles: readonly (string)[]; extra_claims: Record<string, unknown> | null };
  };
  /** Replace a credential */
  'PUT /realms/{realm_id}/userpass/{username}': {
    params: { realm_id: string; username: string };
    body: { realm?: string | undefined; password_hash?: unknown | undefined; change_password?: boolean | undefined; roles?: readonly (string)[] | undefined; extra_claims?: Record<string, unknown> | null | undefined; username?: string | undefined; password_input?: { plaintext: string } | { hashed: string } | undefined };
    answer: { realm: string; username: string; password_hash: ''; change_password: boolean; roles: readonly (string)[]; extra_claims: Record<string, unknown> | null };
  };
  /** Delete a credential */
  'DELETE /realms/{realm_id}/userpass/{username}': {
    params: { realm_id: string; username: string };
    answer: undefined;
  };
  /** Unlock a credential */
  'POST /realms/{realm_id}/userpass/{username}/unlock': {
    params: { realm_id: string; username: string };
    answer: undefined;
  };
  /** Get the user of the session and what they administer */
  'GET /rights': {
    answer: { realm: string; username: string; session_id: string; auth_scheme: 'up' | 'jwt' | 'cc' | 'f2' | 'dc'; is_super_admin: boolean; realms: readonly (string)[] };
  };
  /** Get the version and the features of the server */
  'GET /server-info': {
    answer: { version: string; kmip_versions: readonly (string)[]; vendor_identification: string; hsm_instances: readonly ({ prefix: string; model: string; slots: readonly ({ slot_id: number; accessible: boolean })[] })[] };
  };
  /** End sessions by id */
  'DELETE /sessions': {
    body: { session_ids: readonly (string)[] };
    answer: undefined;
  };
  /** Remove expired sessions */
  'DELETE /sessions/expired': {
    answer: undefined;
  };
  /** Get the session and claims of a cookie; null if it is not valid */
  'POST /sessions/introspect': {
    body: { cookie: string };
    answer: { session_id: string; realm_id: string; username: string; auth_scheme: 'up' | 'jwt' | 'cc' | 'f2' | 'dc'; cookie_string: string; max_age_seconds: number; max_stale_age_seconds: number; created_at: number; claims: { iss: string; sub: string; aud: readonly (string)[]; exp: number; nbf: number; iat: number; jti: string; roles: readonly (string)[]; as_as: 'up' | 'jwt' | 'cc' | 'f2' | 'dc'; as_rid: string } } | null;
  };
  /** End every session of a realm */
  'DELETE /sessions/realms/{realm_id}': {
    params: { realm_id: string };
    answer: undefined;
  };
  /** List the sessions of clients */
  'POST /sessions/realms/{realm_id}/clients': {
    params: { realm_id: string };
    query?: { limit?: number | undefined; after?: string | undefined };
    body: readonly ({ username: string; auth_scheme: 'UsernamePassword' | 'Jwt' | 'ClientCertificate' | 'Fido2' | 'DigitalCredentials' | 'up' | 'jwt' | 'cc' | 'f2' | 'dc' })[] | { authenticated_clients: readonly ({ username: string; auth_scheme: 'UsernamePassword' | 'Jwt' | 'ClientCertificate' | 'Fido2' | 'DigitalCredentials' | 'up' | 'jwt' | 'cc' | 'f2' | 'dc' })[] };
    answer: { session_ids: readonly (string)[] };
  };
  /** Get a session; null if it does not exist */
  'GET /sessions/{session_id}': {
    params: { session_id: string };
    answer: { session_id: string; realm_id: string; username: string; auth_scheme: 'up' | 'jwt' | 'cc' | 'f2' | 'dc'; cookie_string: string; max_age_seconds: number; max_stale_age_seconds: number; created_at: number } | null;
  };
  /** Get a session, and end sessions of its clients */
  'POST /sessions/{session_id}': {
    params: { session_id: string };
    body: { authenticated_clients: readonly ({ username: string; auth_scheme: 'UsernamePassword' | 'Jwt' | 'ClientCertificate' | 'Fido2' | 'DigitalCredentials' | 'up' | 'jwt' | 'cc' | 'f2' | 'dc' })[]; sessions_action?: 'LogoutOtherSessions' | 'LogoutAllSessions' | null | undefined };
    answer: { session_id: string; realm_id: string; username: string; auth_scheme: 'up' | 'jwt' | 'cc' | 'f2' | 'dc'; cookie_string: string; max_age_seconds: number; max_stale_age_seconds: number; created_at: number } | null;
  };
  /** Get the session of the browser; null if there is none */
  'GET /sign-in/session': {
    answer: { realm: string; username: string; session_id: string } | null;
  };
  /** Summarise a text */
  'POST /summarize': {
    form: { doc: string | Blob };
    answer: { summary: string };
  };
  /** Truncate a date to a unit of time */
  'POST /tokenize/aggregate-date': {
    body: { data: string; time_unit: 'Second' | 'Minute' | 'Hour' | 'Day' | 'Month' | 'Year' };
    answer: { result: string };
  };
  /** Round a number to a power of ten */
  'POST /tokenize/aggregate-number': {
    body: { data: number; data_type: 'float'; power_of_ten: number } | { data: number; data_type: 'integer'; power_of_ten: number };
    answer: { result: string };
  };
  /** Hash a text */
  'POST /tokenize/hash': {
    body: { data: string; method: 'SHA2' | 'SHA3'; salt?: string | undefined } | { data: string; method: 'Argon2'; salt: string };
    answer: { result: string };
  };
  /** Add noise to a number or a date */
  'POST /tokenize/noise': {
    body: { data: number; data_type: 'float'; method: 'Gaussian' | 'Laplace'; mean: number; std_dev: number; min_bound?: number | undefined; max_bound?: number | undefined } | { data: number; data_type: 'float'; mean?: number | undefined; method: 'Gaussian' | 'Laplace' | 'Uniform'; min_bound: number; max_bound: number } | { data: number; data_type: 'float'; std_dev?: number | undefined; method: 'Gaussian' | 'Laplace' | 'Uniform'; min_bound: number; max_bound: number } | { data: number; data_type: 'integer'; method: 'Gaussian' | 'Laplace'; mean: number; std_dev: number; min_bound?: number | undefined; max_bound?: number | undefined } | { data: number; data_type: 'integer'; mean?: number | undefined; method: 'Gaussian' | 'Laplace' | 'Uniform'; min_bound: number; max_bound: number } | { data: number; data_type: 'integer'; std_dev?: number | undefined; method: 'Gaussian' | 'Laplace' | 'Uniform'; min_bound: number; max_bound: number } | { data: string; data_type: 'date'; method: 'Gaussian' | 'Laplace'; mean: number; std_dev: number; min_bound?: number | undefined; max_bound?: number | undefined } | { data: string; data_type: 'date'; mean?: number | undefined; method: 'Gaussian' | 'Laplace' | 'Uniform'; min_bound: number; max_bound: number } | { data: string; data_type: 'date'; std_dev?: number | undefined; method: 'Gaussian' | 'Laplace' | 'Uniform'; min_bound: number; max_bound: number };
    answer: { result: number | string };
  };
  /** Scale a number around a mean */
  'POST /tokenize/scale-number': {
    body: { data: number; data_type: 'float'; mean: number; std_deviation: number; scale: number; translate: number } | { data: number; data_type: 'integer'; mean: number; std_deviation: number; scale: number; translate: number };
    answer: { result: number };
  };
  /** Replace words with XXXX */
  'POST /tokenize/word-mask': {
    body: { data: string; words: readonly (string)[] };
    answer: { result: string };
  };
  /** Replace the matches of a pattern */
  'POST /tokenize/word-pattern-mask': {
    body: { data: string; pattern: string; replace: string };
    answer: { result: string };
  };
  /** Replace words with random tokens */
  'POST /tokenize/word-tokenize': {
    body: { data: string; words: readonly (string)[] };
    answer: { result: string };
  };
  /** Translate a text */
  'POST /translate': {
    form: { doc: string | Blob; src_lang: string | Blob; tgt_lang: string | Blob };
    answer: { translation: string };
  };
  /** Decrypt the parts of a JWE */
  'POST /v1/crypto/decrypt': {
    body: { protected: string; unprotected?: Record<string, unknown> | null | undefined; header?: Record<string, unknown> | null | undefined; encrypted_key?: string | null | undefined; iv: string; ciphertext: string; tag: string; aad?: string | null | undefined };
    answer: { kid: string; data: string };
  };
  /** Encrypt: a JWE in its parts */
  'POST /v1/crypto/encrypt': {
    body: { kid: string; alg: 'dir' | 'RSA-OAEP' | 'RSA-OAEP-256' | 'RSA-OAEP-384' | 'RSA-OAEP-512' | 'A128KW' | 'A192KW' | 'A256KW' | 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A192KW' | 'ECDH-ES+A256KW'; enc: 'A128GCM' | 'A192GCM' | 'A256GCM' | 'A128CBC-HS256' | 'A192CBC-HS384' | 'A256CBC-HS512'; data: string; aad?: string | null | undefined; apu?: string | null | undefined; apv?: string | null | undefined };
    answer: { protected: string; encrypted_key: string; iv: string; ciphertext: string; tag: string; aad?: string | undefined };
  };
  /** Create a key, or import a JWK */
  'POST /v1/crypto/keys': {
    body: { kid?: string | null | undefined; use?: string | null | undefined; key_ops?: readonly (string)[] | null | undefined; kty: 'oct'; alg?: null | undefined; bits?: 128 | 192 | 256 | null | undefined; k?: null | undefined } | { kid?: string | null | undefined; use?: string | null | undefined; key_ops?: readonly (string)[] | null | undefined; kty: 'oct'; alg: 'HS256' | 'HS384' | 'HS512' | 'A128KW' | 'A192KW' | 'A256KW' | 'A128GCM' | 'A192GCM' | 'A256GCM' | 'A128CBC-HS256' | 'A192CBC-HS384' | 'A256CBC-HS512'; bits?: number | null | undefined; k?: string | null | undefined } | { kid?: string | null | undefined; use?: string | null | undefined; key_ops?: readonly (string)[] | null | undefined; kty: 'RSA'; alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'RSA-OAEP' | 'RSA-OAEP-256' | 'RSA-OAEP-384' | 'RSA-OAEP-512' | null | undefined; bits?: number | null | undefined; n: string; e: string; d?: null | undefined; p?: null | undefined; q?: null | undefined; dp?: null | undefined; dq?: null | undefined; qi?: null | undefined } | { kid?: string | null | undefined; use?: string | null | undefined; key_ops?: readonly (string)[] | null | undefined; kty: 'RSA'; alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'RSA-OAEP' | 'RSA-OAEP-256' | 'RSA-OAEP-384' | 'RSA-OAEP-512' | null | undefined; bits?: number | null | undefined; n: string; e: string; d: string; p: string; q: string; dp: string; dq: string; qi: string } | { kid?: string | null | undefined; use?: string | null | undefined; key_ops?: readonly (string)[] | null | undefined; kty: 'RSA'; alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'RSA-OAEP' | 'RSA-OAEP-256' | 'RSA-OAEP-384' | 'RSA-OAEP-512' | null | undefined; bits?: number | null | undefined; n?: null | undefined; e?: null | undefined; d?: null | undefined; p?: null | undefined; q?: null | undefined; dp?: null | undefined; dq?: null | undefined; qi?: null | undefined } | { kid?: string | null | undefined; use?: string | null | undefined; key_ops?: readonly (string)[] | null | undefined; kty: 'EC'; alg?: 'ES256' | 'ES384' | 'ES512' | 'ES256K' | 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A192KW' | 'ECDH-ES+A256KW' | null | undefined; crv?: 'P-256' | 'P-384' | 'P-521' | 'secp256k1' | null | undefined; x?: null | undefined; y?: null | undefined; d?: null | undefined } | { kid?: string | null | undefined; use?: string | null | undefined; key_ops?: readonly (string)[] | null | undefined; kty: 'EC'; alg?: 'ES256' | 'ES384' | 'ES512' | 'ES256K' | 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A192KW' | 'ECDH-ES+A256KW' | null | undefined; crv: 'P-256' | 'P-384' | 'P-521' | 'secp256k1'; x?: string | null | undefined; y?: string | null | undefined; d?: string | null | undefined } | { kid?: string | null | undefined; use?: string | null | undefined; key_ops?: readonly (string)[] | null | undefined; kty: 'OKP'; alg?: 'EdDSA' | 'Ed25519' | 'Ed448' | 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A192KW' | 'ECDH-ES+A256KW' | null | undefined; crv?: 'Ed25519' | 'Ed448' | 'X25519' | 'X448' | null | undefined; x?: null | undefined; d?: null | undefined } | { kid?: string | null | undefined; use?: string | null | undefined; key_ops?: readonly (string)[] | null | undefined; kty: 'OKP'; alg?: 'EdDSA' | 'Ed25519' | 'Ed448' | 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A192KW' | 'ECDH-ES+A256KW' | null | undefined; crv: 'Ed25519' | 'Ed448' | 'X25519' | 'X448'; x?: string | null | undefined; d?: string | null | undefined } | { kid?: string | null | undefined; use?: string | null | undefined; key_ops?: readonly (string)[] | null | undefined; kty: 'AKP' | 'OKP'; alg: 'ML-DSA-44' | 'ML-DSA-65' | 'ML-DSA-87'; pub?: string | null | undefined; priv?: string | null | undefined };
    answer: { kid: string; kid_public?: string | undefined; kty: 'oct' | 'RSA' | 'EC' | 'OKP' | 'AKP'; alg?: string | undefined; crv?: string | undefined; n?: string | undefined; e?: string | undefined; x?: string | undefined; y?: string | undefined; pub?: string | undefined; key_ops: readonly (string)[] };
  };
  /** Import a key from a JWE */
  'POST /v1/crypto/keys/unwrap': {
    body: { protected: string; unprotected?: Record<string, unknown> | null | undefined; header?: Record<string, unknown> | null | undefined; encrypted_key: string };
    answer: { kid: string; kid_public?: string | undefined; kty: 'oct' | 'RSA' | 'EC' | 'OKP' | 'AKP'; alg?: string | undefined; crv?: string | undefined; n?: string | undefined; e?: string | undefined; x?: string | undefined; y?: string | undefined; pub?: string | undefined; key_ops: readonly (string)[] };
  };
  /** Revoke and destroy a key */
  'DELETE /v1/crypto/keys/{kid}': {
    params: { kid: string };
    answer: undefined;
  };
  /** List the tags of a key */
  'GET /v1/crypto/keys/{kid}/tags': {
    params: { kid: string };
    answer: { kid: string; tags: readonly (string)[] };
  };
  /** Add tags to a key */
  'POST /v1/crypto/keys/{kid}/tags': {
    params: { kid: string };
    body: { tags: readonly (string)[] };
    answer: { kid: string; tags: readonly (string)[] };
  };
  /** Remove tags from a key */
  'DELETE /v1/crypto/keys/{kid}/tags': {
    params: { kid: string };
    body: { tags: readonly (string)[] };
    answer: { kid: string; tags: readonly (string)[] };
  };
  /** Compute a MAC, or verify the one that is given */
  'POST /v1/crypto/mac': {
    body: { kid: string; alg: 'HS256' | 'HS384' | 'HS512'; data: string; mac?: string | null | undefined };
    answer: { kid: string; mac?: string | undefined; valid?: boolean | undefined };
  };
  /** Sign: a detached JWS */
  'POST /v1/crypto/sign': {
    body: { kid: string; alg: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'ES256K' | 'EdDSA' | 'Ed25519' | 'Ed448' | 'ML-DSA-44' | 'ML-DSA-65' | 'ML-DSA-87'; data: string };
    answer: { protected: string; signature: string };
  };
  /** Verify a detached JWS */
  'POST /v1/crypto/verify': {
    body: { protected: string; header?: Record<string, unknown> | null | undefined; data: string; signature: string };
    answer: { kid: string; valid: boolean };
  };
  /** Get the version of the server as plain text, or as a JSON string if Accept prefers it */
  'GET /version': {
    answer: string;
  };
  /** Get what the server was built from and runs on */
  'GET /version/build': {
    answer: { version: string; package: 'npm' | 'debian' | 'oci' | 'clone'; commit: string | null; changed: boolean; source_time: string | null; node: string; openssl: string; sqlite: string; v8: string; platform: string; arch: string };
  };
  /** Get the claims of the session, as JSON or as a signed token */
  'GET /whoami': {
    query?: { realm?: string | undefined };
    answer: { iss: string; sub: string; aud: readonly (string)[]; exp: number; nbf: number; iat: number; jti: string; roles: readonly (string)[]; as_as: 'up' | 'jwt' | 'cc' | 'f2' | 'dc'; as_rid: string };
  };
}
