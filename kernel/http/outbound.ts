// Which addresses this server fetches documents from: https, or http to this machine.

const LONGEST = 2_048;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Credentials in an address are refused: it is shown to administrators and written to the audit log. */
export function isFetchable(address: string): boolean {
  if (address.length > LONGEST || !URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
