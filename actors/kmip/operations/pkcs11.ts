// PKCS_11: only the functions about the server itself (KMIP specification 2.1 section 6.1.37 and the PKCS#11 profile) are supported.
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, codeOf, nameOf, required, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { StreamOwner, StreamStart } from '../../stream/api.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

type ReturnCode = keyof typeof ENUM.PKCS_11ReturnCode;

/** The only interface that is offered; it includes the functions from before 3.0. */
const INTERFACE = 'PKCS 11';
const NOTHING = new Uint8Array();

export const pkcs11 = {
  name: 'PKCS_11',
  members: payloadMembers(['PKCS_11Interface', 'PKCS_11Function', 'CorrelationValue', 'PKCS_11InputParameters']),
  run,
} satisfies Operation;

/** @throws Refusal PKCS_11InvalidInterface, PKCS_11InvalidFunction; refusals of the function itself go into its return code */
async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const named = textOf(request, TAG.PKCS_11Interface);
  if (named !== undefined && named !== INTERFACE) throw new Refusal('PKCS_11InvalidInterface', `there is no interface ${named.slice(0, 64)}`);
  const code = required(codeOf(request, TAG.PKCS_11Function), TAG.PKCS_11Function);
  const value = bytesOf(request, TAG.CorrelationValue);
  const input = bytesOf(request, TAG.PKCS_11InputParameters);
  const answer: Node[] = [...(named === undefined ? [] : [text(TAG.PKCS_11Interface, named)]), enumeration(TAG.PKCS_11Function, code)];
  const result = (returned: ReturnCode, ...members: Node[]) => [...answer, ...members, enumeration(TAG.PKCS_11ReturnCode, ENUM.PKCS_11ReturnCode[returned])];
  // In KMIP 3.0 each answer repeats it (OASIS case PKCS11-M-1-30).
  const repeated = value !== undefined && ctx.version.major >= 3 ? [bytes(TAG.CorrelationValue, value)] : [];
  switch (functionName(code)) {
    case 'C_Initialize':
      if (value !== undefined && (await isOpen(ctx, value))) return result('CRYPTOKI_ALREADY_INITIALIZED');
      return result('OK', bytes(TAG.CorrelationValue, (await ctx.server.streams.begin(startStream(ctx), NOTHING)).value));
    case 'C_GetInfo':
      if (isGiven(input)) return result('ARGUMENTS_BAD');
      if (value === undefined || !(await isOpen(ctx, value))) return result('CRYPTOKI_NOT_INITIALIZED');
      return result('OK', ...repeated, bytes(TAG.PKCS_11OutputParameters, info(ctx)));
    case 'C_Finalize':
      if (isGiven(input)) return result('ARGUMENTS_BAD');
      if (value === undefined || !(await ctx.server.streams.abandon(owner(ctx), value))) return result('CRYPTOKI_NOT_INITIALIZED');
      return result('OK', ...repeated);
    default:
      return result('FUNCTION_NOT_SUPPORTED');
  }
}

/** C_GetInfo and C_Finalize take no input; the only argument of C_Finalize is reserved and must be null. C_Initialize takes the thread flags of the client. */
const isGiven = (input: Uint8Array | undefined): boolean => input?.some((byte) => byte !== 0) ?? false;

function functionName(code: number): keyof typeof ENUM.PKCS_11Function {
  try {
    return nameOf('PKCS_11Function', code);
  } catch {
    throw new Refusal('PKCS_11InvalidFunction', `the interface has no function ${code}`);
  }
}

const owner = (ctx: OperationContext): StreamOwner => ({ kind: 'PKCS_11', user: ctx.caller.user, object: '' });

function startStream(ctx: OperationContext): StreamStart {
  return { ...owner(ctx), algorithm: undefined, parameters: {}, key: NOTHING, iv: undefined, aad: undefined, proof: undefined };
}

async function isOpen(ctx: OperationContext, value: Uint8Array): Promise<boolean> {
  try {
    await ctx.server.streams.update(owner(ctx), value, NOTHING);
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'InvalidCorrelationValue') return false;
    throw error;
  }
}

/** CK_INFO: version of Cryptoki, manufacturer, flags in 8 bytes, description and version of the library; texts are padded with spaces. */
function info({ server: { args } }: OperationContext): Uint8Array {
  const [major = '0', minor = '0'] = args.version.split('.');
  return Buffer.concat([
    Buffer.of(3, 0),
    padText(args.vendorIdentification),
    Buffer.alloc(8),
    padText('key management over KMIP'),
    Buffer.of(Number.parseInt(major, 10) & 0xff, Number.parseInt(minor, 10) & 0xff),
  ]);
}

function padText(value: string): Buffer {
  const buffer = Buffer.alloc(32, ' ');
  buffer.write(value, 'utf8');
  return buffer;
}
