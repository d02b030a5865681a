// Handles a refused proof, at sign-in and elsewhere: writes its audit row, counts it, and records the locks that it causes, in one transaction.
import type { AuditEvent } from '../../kernel/store/audit.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import type { Factor } from './api.ts';
import type { DirectoryServer } from './directory-server.ts';
import { countFailure } from './lockout.ts';

interface RefusedProof {
  readonly realm: string;
  readonly username: string;
  readonly factor: Factor;
  readonly source: string;
  /** False for what was right but is refused: it locks nothing. */
  readonly isGuess: boolean;
}

/** @param event the audit row of the refusal */
export async function refuseProof({ args, clock }: DirectoryServer, tx: Transaction, event: AuditEvent, proof: RefusedProof): Promise<void> {
  await tx.audit(event);
  const { realm, username, factor, source } = proof;
  for (const locked of await countFailure(tx, proof, args.lockout, clock.now())) {
    await tx.audit({
      event: 'lockout',
      outcome: 'success',
      realm,
      actor: username,
      scheme: 'up',
      source,
      target: `${factor} ${locked}`,
      reason: 'too many failures',
    });
  }
}
