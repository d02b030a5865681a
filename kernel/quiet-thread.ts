// The name of the thread that actors with little to do share: they own state, but do little work themselves.

export const QUIET_THREAD = 'quiet';
