// The form of answers and errors that clients of Vault and OpenBao expect.
import type { TSchema } from 'typebox';
import type { ErrorForm, Request, Response, ResponseDescription } from '../../../kernel/http/route.ts';
import Type from '../../../kernel/type.ts';

/** The group of these routes in the OpenAPI document. */
export const VAULT_TAG = 'Vault and OpenBao';

/** These clients do not expect 401: they get 403 also for missing authentication. */
export const VAULT_ERRORS: ErrorForm = {
  status: (usual) => (usual === 401 ? 403 : usual),
  body: ({ errors }) => ({ errors }),
  schema: Type.Object({ errors: Type.Array(Type.String()) }),
};

const JSON_TYPE = 'application/json';
const NOTHING = { lease_id: '', renewable: false, lease_duration: 0, data: null, auth: null, wrap_info: null, warnings: null };

/**
 * The answer in their envelope, which always has all members; unused ones are null.
 * @param warnings as there, an answer without a body gets one for them
 */
export function putInEnvelope({ id }: Pick<Request, 'id'>, { body, ...rest }: Response, warnings: readonly string[] | null): Response {
  if (body instanceof Uint8Array) return { ...rest, ...encloseList(id, body) };
  if (body === undefined && warnings === null) return rest;
  return { ...rest, ...(body === undefined && { status: 200 }), ...json({ request_id: id, ...NOTHING, ...(body as object | undefined), warnings }) };
}

/** A list arrives as the bytes of an object with the single member `data`: the other members are put before it without parsing it. */
function encloseList(id: string, list: Uint8Array): Pick<Response, 'body' | 'type'> {
  const { data: _, ...others } = NOTHING;
  const before = JSON.stringify({ request_id: id, ...others }).slice(0, -1);
  return { body: Buffer.concat([Buffer.from(`${before},`), list.subarray(1)]), type: JSON_TYPE };
}

/** Bytes, because a string body would add a charset to the content type. */
export function json(body: unknown): Pick<Response, 'body' | 'type'> {
  return { body: Buffer.from(JSON.stringify(body)), type: JSON_TYPE };
}

/** For the OpenAPI document: what stands in place of an answer without a body if there are warnings. */
export const WARNED: ResponseDescription = { description: 'success; `warnings` says what has no effect', schema: Type.Object({}) };

/** The description of an answer for the OpenAPI document, in their envelope. */
export function envelopeOf({ description, schema }: ResponseDescription): ResponseDescription {
  if (!schema) return { description };
  const own = (schema as unknown as { properties: Record<string, TSchema> }).properties;
  const nothing = Type.Null();
  return {
    description,
    schema: Type.Object({
      ...{ request_id: Type.String(), lease_id: Type.Literal(''), renewable: Type.Literal(false), lease_duration: Type.Literal(0) },
      ...{ data: nothing, auth: nothing, wrap_info: nothing, warnings: Type.Union([nothing, Type.Array(Type.String())]) },
      ...own,
    }),
  };
}
