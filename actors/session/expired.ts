// When the row of a session is one of no session any more: a condition of SQL.

/** An idle session's row is behind its last activity by up to a tenth of the limit; it is kept that much longer. `$1` is the time, milliseconds since the epoch. */
export const EXPIRED = 'created_at + max_age_seconds * 1000 <= $1 OR seen_at + max_stale_age_seconds * 1100 + 1000 <= $1';
