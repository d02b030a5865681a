// Decides how the certificate of a server is trusted at the sign-in: by an authority, by its fingerprint, or by the user who has seen it.
import { connect as connectTls, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { CommandError, EXIT } from './exit.ts';
import { pemIn } from './files.ts';
import type { Profile } from './profile.ts';
import type { Prompts } from './prompts.ts';

const TIMEOUT_MS = 15_000;

export interface TrustOptions {
  /** File with authorities. */
  readonly ca?: string | undefined;
  /** SHA-256 of the certificate in hexadecimal, with or without colons. */
  readonly fingerprint?: string | undefined;
}

export type Trust = Pick<Profile, 'ca' | 'fingerprint'>;

/** @throws CommandError for a server that nobody vouches for */
export async function trust(address: string, { ca, fingerprint }: TrustOptions, prompts: Prompts): Promise<Trust> {
  if (ca !== undefined) return { ca: pemIn(ca, 'certificate') };
  if (fingerprint !== undefined && !/^[0-9A-F]{64}$/.test(plain(fingerprint)))
    throw new CommandError('--fingerprint must be the SHA-256 of a certificate: 64 hexadecimal digits, with or without colons', EXIT.usage);
  const seen = await look(new URL(address));
  if (seen.isAuthorized && fingerprint === undefined) return {};
  if (fingerprint !== undefined) {
    if (plain(fingerprint) === plain(seen.fingerprint)) return pin(seen);
    throw new CommandError(`the certificate of ${address} has another fingerprint: ${seen.fingerprint}`, EXIT.unavailable);
  }
  const shown = `The certificate of ${address} is not signed by an authority that this machine knows.\nIts SHA-256 fingerprint: ${seen.fingerprint}\n`;
  if (!prompts.isInteractive) throw new CommandError(`${shown}Give --fingerprint or --ca FILE to trust it.`, EXIT.unavailable);
  prompts.tell(`${shown}Compare it with the one on the server: openssl x509 -noout -fingerprint -sha256 -in data/tls/cert.pem\n`);
  if (!(await prompts.confirm('Trust this certificate from now on?'))) throw new CommandError('the certificate is not trusted', EXIT.unavailable);
  return pin(seen);
}

const plain = (fingerprint: string) => fingerprint.replaceAll(':', '').toUpperCase();

interface Seen {
  readonly isAuthorized: boolean;
  readonly fingerprint: string;
  readonly pem: string;
}

const pin = ({ fingerprint, pem }: Seen): Trust => ({ fingerprint, ca: pem });

/** Nothing is sent on this connection. */
function look({ hostname, port }: URL): Promise<Seen> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const unreachable = (reason: string) => reject(new CommandError(`${host} cannot be reached: ${reason}`, EXIT.unavailable));
    const socket: TLSSocket = connectTls({
      host,
      port: Number(port || 443),
      rejectUnauthorized: false,
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer in time')));
    socket.on('error', ({ message }) => unreachable(message));
    socket.on('secureConnect', () => {
      const certificate: DetailedPeerCertificate = socket.getPeerCertificate(true);
      socket.destroy();
      resolve({ isAuthorized: socket.authorized, fingerprint: certificate.fingerprint256, pem: pemOf(certificate.raw) });
    });
  });
}

function pemOf(der: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${der
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n')}\n-----END CERTIFICATE-----\n`;
}
