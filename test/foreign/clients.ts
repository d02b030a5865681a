// The programs of others that are run against the server, or that the server calls.
import type { ForeignClient } from './client.ts';
import { GO_JOSE } from './go-jose/client.ts';
import { HVAC } from './hvac/client.ts';
import { KMIP_GO, KMIP_GO_EXAMPLES } from './kmip-go/client.ts';
import { LIBMONGOCRYPT } from './libmongocrypt/client.ts';
import { LLAMA_CPP } from './llama-cpp/client.ts';
import { PYKMIP } from './pykmip/client.ts';
import { SCHEMATHESIS } from './schemathesis/client.ts';
import { OPENBAO, VAULT } from './vault-go/client.ts';

export const CLIENTS: readonly ForeignClient[] = [KMIP_GO, KMIP_GO_EXAMPLES, PYKMIP, LIBMONGOCRYPT, GO_JOSE, HVAC, OPENBAO, VAULT, SCHEMATHESIS, LLAMA_CPP];
