// Checks the revocation lists of client certificates: without a list of an authority that is valid now, all of its certificates are refused.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RevocationList } from '../../crypto/x509/revocation-list.ts';
import { blocksIn, derOf } from '../../kernel/pem.ts';
import { nameOf } from './certificates.ts';
import { type Check, type Finding, ok, problem, warning } from './finding.ts';

const ABOUT = 'revocation list';
const REFUSED = 'all certificates of this authority are refused';
const RENEW = 'get a new list of this authority and write it in place; the server reads it without a restart';
/** Lists live for days or weeks, and their authority writes the next one before they end. */
const SOON_SECONDS = 86_400;

export const checkRevocationLists: Check = async ({ config, base, now }) => {
  const { client_ca, client_crl } = config.http.tls;
  if (client_crl === '') return [];
  // Loaded here only: every command would wait for it.
  const [{ certificateFacts }, { isSameName }, { readRevocationList }] = await Promise.all([
    import('../../crypto/x509/certificate-facts.ts'),
    import('../../crypto/x509/distinguished-name.ts'),
    import('../../crypto/x509/revocation-list.ts'),
  ]);
  const path = resolve(base, client_crl);
  try {
    const lists = blocksIn(readFileSync(path, 'utf8'), 'revocationList').map((block) => readRevocationList(derOf(block)));
    const authorities = blocksIn(readFileSync(resolve(base, client_ca), 'utf8'), 'certificate').map((block) => new X509Certificate(block));
    return authorities.map((authority) => {
      const { subject } = certificateFacts(authority.raw);
      const own = lists.filter(({ issuer }) => isSameName(issuer, subject.der));
      return newest(own, `${nameOf(authority)} in ${path}`, now / 1_000);
    });
  } catch (error) {
    return [problem(ABOUT, `${path} cannot be read: ${(error as Error).message}`, RENEW)];
  }
};

function newest(lists: readonly RevocationList[], of: string, now: number): Finding {
  const current = lists.filter((each) => each.thisUpdate <= now && endOf(each) >= now);
  const list = (current.length > 0 ? current : lists).toSorted((one, other) => endOf(one) - endOf(other)).at(-1);
  if (!list) return problem(ABOUT, `there is no list of ${of}: ${REFUSED}`, RENEW);
  const end = endOf(list);
  if (!Number.isFinite(end) && list.thisUpdate <= now) return ok(ABOUT, `the list of ${of} does not end`);
  if (list.thisUpdate > now) return problem(ABOUT, `the list of ${of} is of the future: ${REFUSED}`, 'set the clock of this machine, or wait');
  const when = new Date(end * 1_000).toISOString();
  if (end < now) return problem(ABOUT, `the list of ${of} has ended at ${when}: ${REFUSED}`, RENEW);
  return end - now < SOON_SECONDS ? warning(ABOUT, `the list of ${of} ends at ${when}`, RENEW) : ok(ABOUT, `the list of ${of} ends at ${when}`);
}

const endOf = ({ nextUpdate }: RevocationList): number => nextUpdate ?? Number.POSITIVE_INFINITY;
