// Decides which addresses the server may fetch documents from: https anywhere, http on this machine only.

const MAX_URL_CHARACTERS = 2_048;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** An address with credentials is refused, because addresses are shown to administrators and written to the audit log. */
export function isFetchable(address: string): boolean {
  if (address.length > MAX_URL_CHARACTERS || !URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
