// The form of answers and errors that clients of Vault and OpenBao read.
import Type, { type TSchema } from 'typebox';
import type { ErrorForm, Request, Response, ResponseDescription } from '../../../kernel/http/route.ts';

/** Of these routes, in the document. */
export const VAULT_TAG = 'Vault and OpenBao';

/** These clients know no 401: who is nobody may not. */
export const VAULT_ERRORS: ErrorForm = {
  status: (usual) => (usual === 401 ? 403 : usual),
  body: ({ errors }) => ({ errors }),
  schema: Type.Object({ errors: Type.Array(Type.String()) }),
};

const NOTHING = { lease_id: '', renewable: false, lease_duration: 0, data: null, auth: null, wrap_info: null, warnings: null };

/** The answer in their envelope: every member is there, and null where there is nothing of it. */
export function enveloped({ id }: Pick<Request, 'id'>, { body, ...rest }: Response): Response {
  return body === undefined ? rest : { ...rest, ...json({ request_id: id, ...NOTHING, ...(body as object) }) };
}

/** As bytes: the content type has to stay without a charset. */
export function json(body: unknown): Pick<Response, 'body' | 'type'> {
  return { body: Buffer.from(JSON.stringify(body)), type: 'application/json' };
}

/** What the document says of an answer, in their envelope. */
export function envelopeOf({ description, schema }: ResponseDescription): ResponseDescription {
  if (!schema) return { description };
  const own = (schema as unknown as { properties: Record<string, TSchema> }).properties;
  const nothing = Type.Null();
  return {
    description,
    schema: Type.Object({
      ...{ request_id: Type.String(), lease_id: Type.Literal(''), renewable: Type.Literal(false), lease_duration: Type.Literal(0) },
      ...{ data: nothing, auth: nothing, wrap_info: nothing, warnings: nothing },
      ...own,
    }),
  };
}
