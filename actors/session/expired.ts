// When a session is over, as a condition of SQL; `$1` is the time, milliseconds since the epoch.

/** Of settled rows: what was used is written long before it could seem idle. */
export const EXPIRED = 'created_at + max_age_seconds * 1000 <= $1 OR seen_at + max_stale_age_seconds * 1000 <= $1';
