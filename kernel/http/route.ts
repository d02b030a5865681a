// The types by which a plugin declares a route, and its request and response.
import type { TSchema } from 'typebox';
import type { Authenticators, Caller, CredentialKind } from './caller/credential.ts';
import type { PeerCertificateView } from './tls/client-certificate.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Request<Body = unknown> {
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
  /** Address of the client. Behind a trusted proxy it is the address that the proxy reports. */
  readonly address: string;
  /** Set on every route that requires authentication. */
  readonly caller: Caller | undefined;
  /** Value of the session cookie, as sent, if there is one and no other of its name. */
  readonly cookie: string | undefined;
  /** The client certificate, if there is one and it is valid now. @throws Fault FORBIDDEN if a page of another origin asks: browsers add certificates by themselves */
  readonly certificate: PeerCertificateView | undefined;
  /** Why there is none, although the client has shown one: for the audit log, as answers to refused credentials are alike. */
  readonly certificateRefusal: string | undefined;
  /** Aborted if the client disconnects before it gets its answer. */
  readonly signal: AbortSignal;
  /**
   * Ends the turn of the caller, of whose slow requests few run at once: for a handler whose further work is done elsewhere, where callers take turns too.
   */
  leaveTurn(): void;
}

/** What is known of a request before its query and body are looked at. */
export interface Asking extends Pick<Request, 'params' | 'headers' | 'caller' | 'certificate' | 'certificateRefusal' | 'address'> {
  /** As sent: a parameter that is given twice is a list. */
  readonly query: Readonly<Record<string, unknown>>;
}

export interface Response {
  readonly status: number;
  /**
   * Bytes, and strings with a `type`, are sent as they are; undefined as an empty body; everything else as JSON.
   * What yields strings (`AsyncIterable<string>`) is sent piece by piece, no faster than the client reads; if it throws, the connection is closed.
   */
  readonly body?: unknown;
  /** Content type of a string or of bytes. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes of the body are used for this answer only: their memory is freed when it has been sent. */
  readonly once?: true;
}

/** The contents of the usual error body. */
export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  /** All problems; the message alone if there is only one. */
  readonly errors: readonly string[];
}

/** An error format that clients of another server expect. It applies to every error of the route, including those before authentication. */
export interface ErrorForm {
  /** @returns the status that replaces the usual one */
  status(usual: number): number;
  /** Sent as JSON with the content type `application/json`, without a charset. */
  body(refused: Refused): unknown;
  /** Schema of the body, for the OpenAPI document. */
  readonly schema: TSchema;
}

/** The form of the 404 answer for paths without a route. */
export interface Unserved {
  /** Applies to paths that begin with one of these, */
  readonly below: readonly string[];
  /** but not to paths that begin with one of these. */
  readonly except: readonly string[];
  readonly form: ErrorForm;
}

/** Names of credentials in the OpenAPI document. `none` in a list means that credentials are optional. */
export type SecurityScheme = 'none' | 'basic' | 'bearer' | 'session' | 'appToken' | 'vaultToken' | 'clientCertificate';

export interface ResponseDescription {
  readonly description: string;
  /** Schema of the body. Without one an error has the usual error body, and any other response has no body. */
  readonly schema?: TSchema;
  /** Content type of the body, if it is not JSON. */
  readonly type?: string;
  /** Content types of the body, if there are several. */
  readonly types?: readonly string[];
}

export interface Route {
  readonly method: Method;
  /** With parameters in braces, as in the specification: `/sessions/{session_id}`. */
  readonly path: string;
  /** The kinds of credential that the route accepts. An open route must say `none` explicitly. */
  readonly auth: 'none' | readonly CredentialKind[];
  /** Of an open route: pages of other origins are refused, because it costs or changes something, and they would reach it through the browsers of people inside. */
  readonly ownPages?: true;
  /** Accept credentials for this route and no other, in addition to those of all plugins. Their kinds must be in `auth`. */
  readonly authenticators?: Authenticators;
  /** A web page: a browser without a valid session is redirected to the sign-in page, which leads back here. */
  readonly page?: true;
  /** A file that a page loads, such as a style sheet. It is not in the OpenAPI document. */
  readonly asset?: true;
  /**
   * The answer of this GET route changes: clients that accept text/event-stream get it again after each change (live-views.ts).
   * The handler runs again, with the credential checked anew, every `everyMs` milliseconds.
   */
  readonly live?: { readonly everyMs: number };
  /** Schema of the path parameters. An invalid parameter is answered with 404, whatever the method. A parameter without a schema may have 1 to 1024 characters. */
  readonly params?: TSchema;
  readonly query?: TSchema;
  /** Schema of the JSON body. Without it the body is not validated. */
  readonly body?: TSchema;
  /** The body may be absent; the handler then gets undefined. */
  readonly bodyOptional?: true;
  /** With `bodyOptional`: the body `null` counts as absent, because some clients send that. */
  readonly nullIsNone?: true;
  /** The body is read as JSON whatever its content type, because some clients of the machine API send none. */
  readonly anyContentType?: true;
  /** The handler gets the bytes of the body as they were sent, whatever the content type, or undefined if there are none. `body` is then for the OpenAPI document only. */
  readonly rawBody?: true;
  /**
   * The route's own error body. It is called for every error after authentication; undefined keeps the usual body.
   * Its status replaces the usual one; the usual headers stay.
   */
  refusal?(fault: Refused): { readonly status: number; readonly body: unknown } | undefined;
  /** The form of every error of this route, including a refused credential or method. All routes of one path must have the same form. */
  readonly form?: ErrorForm;
  /** Runs after authentication and before the body is read. It throws to refuse the request by its address, as a rate limit does, or by its headers. */
  admit?(address: string, headers: Request['headers']): void | Promise<void>;
  /**
   * Runs after `admit`. It throws to refuse a caller who may not use the route, so that nobody learns from it what is wrong with a query or a body.
   * What depends on these is left to the handler, and a change checks the right again in its transaction.
   */
  permit?(asking: Asking): void | Promise<void>;
  /** Largest body in bytes. Replaces the limit of the server and may be larger. */
  readonly bodyLimit?: number;
  /** For the OpenAPI document: a short description. */
  readonly summary?: string;
  /** For the OpenAPI document: the group. */
  readonly tag?: string;
  /** For the OpenAPI document: content types of a raw body. Default: JSON. */
  readonly bodyTypes?: readonly string[];
  /** For the OpenAPI document: example bodies by title. A string is an example for text types, everything else for JSON. */
  readonly bodyExamples?: Readonly<Record<string, unknown>>;
  /** For the OpenAPI document: responses by status. Errors that follow from the declaration are added. */
  readonly responses?: Readonly<Record<number, ResponseDescription>> & { readonly default?: ResponseDescription };
  /** For the OpenAPI document: the credentials of a route whose `auth` does not name them, such as sign-in. */
  readonly security?: readonly SecurityScheme[];
  // biome-ignore lint/suspicious/noExplicitAny: a handler knows the type of its body from its schema.
  handle(request: Request<any>): Response | Promise<Response>;
}
