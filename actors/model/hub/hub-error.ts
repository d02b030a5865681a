// A problem with a hub or with installed models that the operator can fix.

export class HubError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'HubError';
  }
}

/** What was asked for is not written correctly; nothing was done. */
export class UsageError extends HubError {}
