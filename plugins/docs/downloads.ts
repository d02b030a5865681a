// Files to download: the OpenAPI document, and the certificate that clients must trust.
import { X509Certificate } from 'node:crypto';
import { Fault } from '../../kernel/fault.ts';
import { CREDENTIAL_KINDS } from '../../kernel/http/caller/credential.ts';
import type { Route } from '../../kernel/http/route.ts';
import type { Actors, PluginContext } from '../../kernel/plugin.ts';
import Type from '../../kernel/type.ts';

const PEM_TYPE = 'application/x-pem-file';
const YAML_TYPE = 'application/yaml';

export function downloadRoutes({ front }: Pick<PluginContext<object, Actors>, 'front'>): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/download/openapi.yaml',
      auth: CREDENTIAL_KINDS,
      tag: 'Download',
      summary: 'Download the OpenAPI document',
      responses: { 200: { description: 'OpenAPI 3.1', type: YAML_TYPE, schema: Type.Object({}) } },
      handle: () => ({ status: 200, body: front.openapi('yaml').bytes, type: YAML_TYPE, headers: attachment('openapi.yaml') }),
    },
    {
      method: 'GET',
      path: '/download/ca.crt',
      auth: 'none',
      tag: 'Download',
      summary: 'Download the certificate that clients of this server must trust',
      responses: {
        200: { description: 'the last certificate of the chain that the server presents, PEM', type: PEM_TYPE, schema: Type.String() },
        404: { description: 'the server does not present its certificate authority; ask the operator for that certificate' },
      },
      handle() {
        const anchor = trustAnchor(front.certificateChain());
        if (anchor === undefined)
          throw new Fault('NOT_FOUND', { detail: 'the server does not present the certificate of its authority: ask the operator for it' });
        return { status: 200, body: anchor, type: PEM_TYPE, headers: attachment('ca.crt') };
      },
    },
  ];
}

/**
 * The last certificate of a chain, if it is enough to trust that one: an authority's, or a self-signed one.
 * @param chain certificates in PEM, the server's own first
 */
function trustAnchor(chain: readonly string[]): string | undefined {
  const top = chain.at(-1);
  if (top === undefined) return undefined;
  const certificate = new X509Certificate(top);
  // As every program reads it: the file of the server may have another label.
  return certificate.ca || certificate.verify(certificate.publicKey) ? certificate.toString() : undefined;
}

function attachment(name: string): Readonly<Record<string, string>> {
  return { 'content-disposition': `attachment; filename="${name}"` };
}
