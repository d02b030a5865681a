// Query: describes this server and its capabilities, as far as requested (KMIP 2.1 section 6.1.40).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { profilesServed } from '../../../kmip/profile.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { boolean, enumeration, integer, type Node, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { children, codeOf, nameOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { enumerationValueExists, operationExists } from '../../../kmip/ttlv/since.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../kmip/version.ts';
import { OWN_GENERATOR } from '../object/attributes/origin.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import type { CreationPolicy } from '../policy/creation-policy.ts';
import { permits } from '../rights.ts';

const { QueryFunction, ObjectType } = ENUM;
const OBJECTS = [
  ObjectType.Certificate,
  ObjectType.SymmetricKey,
  ObjectType.PublicKey,
  ObjectType.PrivateKey,
  ObjectType.SplitKey,
  ObjectType.Template,
  ObjectType.SecretData,
  ObjectType.OpaqueObject,
  ObjectType.PGPKey,
  ObjectType.CertificateRequest,
];

const ANSWERS: Readonly<Record<number, (ctx: OperationContext, groups: Structure | undefined) => readonly Node[] | Promise<readonly Node[]>>> = {
  [QueryFunction.QueryOperations]: ({ version, caller: { rights }, server: { operations } }) =>
    (Object.keys(operations) as OperationName[])
      .filter((name) => permits(rights, name))
      .map((name) => ENUM.Operation[name])
      .filter((code) => operationExists(code, version))
      .map((code) => enumeration(TAG.Operation, code)),
  [QueryFunction.QueryObjects]: ({ version }) =>
    OBJECTS.filter((type) => enumerationValueExists('ObjectType', type, version)).map((type) => enumeration(TAG.ObjectType, type)),
  [QueryFunction.QueryServerInformation]: ({ server: { args }, version }) => [
    text(TAG.VendorIdentification, args.vendorIdentification),
    ...(version.major > 1
      ? [structure(TAG.ServerInformation, [text(TAG.ServerName, 'gatehouse'), text(TAG.ServerVersion, args.version), text(TAG.ProductName, 'gatehouse')])]
      : [structure(TAG.ServerInformation, [])]),
  ],
  // This server manages no namespaces: applications choose their own.
  [QueryFunction.QueryApplicationNamespaces]: () => [],
  [QueryFunction.QueryExtensionList]: () => EXTENSIONS.map(({ name }) => structure(TAG.ExtensionInformation, [text(TAG.ExtensionName, name)])),
  [QueryFunction.QueryExtensionMap]: ({ version }) =>
    EXTENSIONS.map(({ name, type }) =>
      structure(TAG.ExtensionInformation, [text(TAG.ExtensionName, name), integer(TAG.ExtensionTag, TAG[name]), extensionType(type, version)]),
    ),
  [QueryFunction.QueryAttestationTypes]: () => [],
  [QueryFunction.QueryRNGs]: () => [structure(TAG.RNGParameters, OWN_GENERATOR)],
  [QueryFunction.QueryValidations]: () => [],
  [QueryFunction.QueryProfiles]: ({ version, server: { operations } }) =>
    (version.major > 1 ? profilesServed(new Set(Object.keys(operations))) : []).map((name) =>
      structure(TAG.ProfileInformation, [enumeration(TAG.ProfileName, ENUM.ProfileName[name])]),
    ),
  [QueryFunction.QueryCapabilities]: () => [
    structure(TAG.CapabilityInformation, [
      boolean(TAG.StreamingCapability, true),
      boolean(TAG.AsynchronousCapability, true),
      boolean(TAG.AttestationCapability, false),
      boolean(TAG.BatchUndoCapability, true),
      boolean(TAG.BatchContinueCapability, true),
      enumeration(TAG.UnwrapMode, ENUM.UnwrapMode.Processed),
      enumeration(TAG.DestroyAction, ENUM.DestroyAction.KeyMaterialDeleted),
      enumeration(TAG.ShreddingAlgorithm, ENUM.ShreddingAlgorithm.Unspecified),
      enumeration(TAG.RNGMode, ENUM.RNGMode.SharedInstantiation),
    ]),
  ],
  [QueryFunction.QueryDefaultsInformation]: async (ctx, groups) =>
    ctx.version.major > 1 ? [structure(TAG.DefaultsInformation, [...defaultsFor(await ctx.policy(), groups), ...DEFAULTS])] : [],
  [QueryFunction.QueryStorageProtectionMasks]: ({ version }) =>
    version.major > 1 ? [structure(TAG.ProtectionStorageMasks, [integer(TAG.ProtectionStorageMask, MASK.ProtectionStorageMask.Software)])] : [],
  [QueryFunction.QueryClientRegistrationMethods]: () => [enumeration(TAG.ClientRegistrationMethod, ENUM.ClientRegistrationMethod.Unspecified)],
};

/** The defaults that the caller has set, which come before those of the server: for all groups, and for the groups that the request names, or for every one. */
function defaultsFor({ defaults, told }: CreationPolicy, named: Structure | undefined): readonly Node[] {
  const asked = named?.value.map(({ value }) => value);
  return told.defaults.value.filter((_, at) => {
    const groups = defaults[at]?.groups;
    return !asked || !groups || groups.some((group) => asked.includes(group));
  });
}

/** The values that Create, CreateKeyPair, Register and Import of KMIP 2.x set if the client does not (specification 2.1 table 28). */
const DEFAULTS = [ObjectType.SymmetricKey, ObjectType.PrivateKey, ObjectType.PublicKey, ObjectType.SplitKey, ObjectType.SecretData].map((type) =>
  structure(TAG.ObjectDefaults, [
    enumeration(TAG.ObjectType, type),
    structure(TAG.Attributes, [integer(TAG.CryptographicUsageMask, MASK.CryptographicUsageMask.Unrestricted)]),
  ]),
);

/** The number of the type in 1.x, its enumeration in 2.x (section 7.13; specification 1.4 section 2.1.9). */
function extensionType(type: number, { major }: Version): Node {
  return major > 1 ? enumeration(TAG.ExtensionType, type) : integer(TAG.ExtensionType, type);
}

const EXTENSIONS = [
  { name: 'ObjectUniqueIdentifier', type: TYPE.TextString },
  { name: 'CertificateAttributes', type: TYPE.Structure },
  { name: 'Cascade', type: TYPE.Boolean },
  { name: 'Remove', type: TYPE.Boolean },
  { name: 'ExpectedObjectType', type: TYPE.Enumeration },
] as const;

export const query = {
  name: 'Query',
  members: payloadMembers(['ObjectGroups'], ['QueryFunction']),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const asked = new Set(children(request, TAG.QueryFunction).map((node) => required(codeOf(structure(TAG.RequestPayload, [node]), node.tag), node.tag)));
  if (asked.size === 0) throw new Refusal('InvalidMessage', 'missing field: QueryFunction');
  for (const code of asked) nameOf('QueryFunction', code);
  const groups = structureOf(request, TAG.ObjectGroups);
  // Section 6.1.40: the map says all that the list does.
  if (asked.has(QueryFunction.QueryExtensionMap)) asked.delete(QueryFunction.QueryExtensionList);
  const answers: Node[] = [];
  for (const code of asked) answers.push(...((await ANSWERS[code]?.(ctx, groups)) ?? []));
  return answers;
}
