// The SQL condition for expired sessions; `$1` is the time in milliseconds since the epoch.

/** Correct for rows whose uses are written: a use is written long before its session could seem idle. */
export const EXPIRED = 'created_at + max_age_seconds * 1000 <= $1 OR seen_at + max_stale_age_seconds * 1000 <= $1';
