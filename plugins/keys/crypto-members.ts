// The kinds of members that the bodies of the REST crypto API are made of, for the OpenAPI document.
import type { TProperties, TSchema } from 'typebox';
import Type from '../../kernel/type.ts';

/** The actor enforces the same limits. */
export const MAX_NAME = 1_024;
export const MAX_MEMBERS = 256;

export const text = Type.String({ maxLength: MAX_NAME });
/** An optional member: the actor treats null as absent. */
export const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
/** Canonical base64url without padding: each byte sequence has exactly one spelling. */
export const BASE64URL = '^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$';
/** Unknown members are ignored. */
export const open = <P extends TProperties>(properties: P) => Type.Object(properties, { maxProperties: MAX_MEMBERS });
