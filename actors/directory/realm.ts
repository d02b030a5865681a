// The type of a realm, in the store and in answers.
export interface IdentityProvider {
  readonly jwt_issuer_uri: string;
  readonly jwks_uri: string;
  readonly jwt_audience?: string | null;
}

/** An absent or null member stands for its default. */
export interface AuthParams {
  readonly username_password_params?: { readonly enabled?: boolean; readonly allow_expired_passwords?: boolean } | null;
  readonly jwt_params?: { readonly idp_params?: readonly IdentityProvider[]; readonly smallest_refresh_interval_seconds?: number } | null;
  readonly totp_params?: { readonly algorithm?: string; readonly step?: number } | null;
}

export interface Realm {
  readonly id: string;
  readonly auth_params: AuthParams;
  readonly session_max_age_seconds: number;
  readonly session_max_stale_age_seconds: number;
  readonly certificate_max_age_seconds: number;
  readonly password_max_age_seconds: number;
}
