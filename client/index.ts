// The client of the public HTTP API for Node and browsers, as `gatehouse/client` exports it.
export type { Calls } from './calls.ts';
export { type Answer, Client, type ClientOptions, type Taken } from './client.ts';
export { ENVELOPE, EnvelopeError, type OpenDataKey, openEnvelope, type SealDataKey, sealEnvelope } from './envelope.ts';
export { GatehouseError } from './error.ts';
export { bool, date, enumeration, integer, type Members, membersOf, type Node, structure, text } from './kmip.ts';
export type { Credential, Fetch } from './request.ts';
