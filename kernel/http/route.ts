// A route as a plugin declares it, and the request and response it works with.
import type { TSchema } from 'typebox';
import type { PeerCertificateView } from './client-certificate.ts';
import type { Caller, CredentialKind } from './credential.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Request<Body = unknown> {
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
  /** Address of the peer, as far as trusted proxies tell. */
  readonly address: string;
  /** Set on every route that requires authentication. */
  readonly caller: Caller | undefined;
  /** Value of the session cookie, as sent. */
  readonly cookie: string | undefined;
  /** The client certificate, valid at this moment; undefined without one. */
  readonly certificate: PeerCertificateView | undefined;
  /** Aborted when the client goes away before its answer. */
  readonly signal: AbortSignal;
}

export interface Response {
  readonly status: number;
  /** An object is sent as JSON, bytes and strings as they are, nothing as an empty body. */
  readonly body?: unknown;
  /** Content type of a string or of bytes. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes of the body are this answer's alone: their memory is freed when it has left. */
  readonly once?: true;
}

/** What the usual body would tell of a refusal. */
export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  /** All that is wrong, where there is more than the message. */
  readonly errors: readonly string[];
}

/** The form that programs written for another server expect of every error: whatever refuses, and before it is known who asks. */
export interface ErrorForm {
  /** In place of the usual one. */
  status(usual: number): number;
  /** Sent as JSON, of the content type `application/json` and nothing beside it. */
  body(refused: Refused): unknown;
  /** Of the body, for the OpenAPI document. */
  readonly schema: TSchema;
}

/** The form of the answer that there is nothing at a path. */
export interface Unserved {
  /** Paths begin with one of these. */
  readonly below: readonly string[];
  /** And with none of these. */
  readonly except: readonly string[];
  readonly form: ErrorForm;
}

/** Ways to prove who one is, as the OpenAPI document names them; `none` among them: it may be left out. */
export type SecurityScheme = 'none' | 'basic' | 'bearer' | 'session' | 'appToken' | 'vaultToken' | 'clientCertificate';

export interface ResponseDescription {
  readonly description: string;
  /** Of the body; an error without one has the body of every error, anything else none. */
  readonly schema?: TSchema;
  /** Content type of the body, where it is not JSON. */
  readonly type?: string;
  /** Where it may have several. */
  readonly types?: readonly string[];
}

export interface Route {
  readonly method: Method;
  /** Parameters in braces, as the specification writes them: `/sessions/{session_id}`. */
  readonly path: string;
  /** `none` has to be written; otherwise the kinds of credential that are accepted here. */
  readonly auth: 'none' | readonly CredentialKind[];
  /** A page for people: a browser without a valid session is sent to sign in, and comes back. */
  readonly page?: true;
  /** A file that a page loads, such as a style sheet: no endpoint for people, and not in the OpenAPI document. */
  readonly asset?: true;
  /** Parameters of the path. What breaks its schema leads nowhere: 404, whatever the method. One without a schema has 1 to 1024 characters. */
  readonly params?: TSchema;
  readonly query?: TSchema;
  /** A JSON body is read and validated only where there is a schema. */
  readonly body?: TSchema;
  /** The body may be absent; the handler then sees undefined. */
  readonly bodyOptional?: true;
  /** A body that is null is none, where it may be absent: some clients write it so. */
  readonly nullIsNone?: true;
  /** The body is read as JSON whatever the content type says: some clients of the machine API send none. */
  readonly anyContentType?: true;
  /** The body is not read as JSON: the handler gets the bytes as they were sent, of any content type, or undefined where there are none; `body` is for the document. */
  readonly rawBody?: true;
  /**
   * The route's own form of errors: asked for every refusal after its authentication, undefined leaves the usual body.
   * The status of the usual answer is not used with it; its headers are.
   */
  refusal?(fault: Refused): { readonly status: number; readonly body: unknown } | undefined;
  /** The form of every error of this route, the refusal of a credential or of a method included. Routes of one path have the same. */
  readonly form?: ErrorForm;
  /** Runs after authentication and before the body is read; throws to refuse the address, as a rate limit does, or what the headers show. */
  admit?(address: string, headers: Request['headers']): void | Promise<void>;
  /** Bytes, in place of the server's own limit; it may be larger. */
  readonly bodyLimit?: number;
  /** For the OpenAPI document: what it does in a few words, and the group it is listed in. */
  readonly summary?: string;
  readonly tag?: string;
  /** For the document: the content types that a raw body may have; JSON alone where nothing is said. */
  readonly bodyTypes?: readonly string[];
  /** For the document: bodies to start from, by what they show. A string is an example of the text types, everything else of JSON. */
  readonly bodyExamples?: Readonly<Record<string, unknown>>;
  /** Answers by status, for the document; refusals that follow from `auth`, `query` and `body` are added. */
  readonly responses?: Readonly<Record<number, ResponseDescription>> & { readonly default?: ResponseDescription };
  /** For the document, where `auth` does not say it: what an open route takes as its credentials. */
  readonly security?: readonly SecurityScheme[];
  // biome-ignore lint/suspicious/noExplicitAny: a handler knows the type of its body from its own schema.
  handle(request: Request<any>): Response | Promise<Response>;
}
