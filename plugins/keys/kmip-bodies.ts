// Describes KMIP messages for the OpenAPI document: their outer form, and examples; the actor checks the rest.
import Type from '../../kernel/type.ts';
import { LIMITS } from '../../kmip/ttlv/limits.ts';

/** 64 MiB, over HTTP and over TLS. */
export const MAX_MESSAGE_BYTES = LIMITS.bytes;

/** A node of JSON TTLV. */
export const BARE_OPERATION = Type.Object(
  {
    tag: Type.String({ description: 'the name of an operation, or RequestMessage' }),
    value: Type.Array(Type.Unknown(), { description: 'nodes with tag, type (absent for structures) and value; at most 250 000 nodes and 64 levels' }),
  },
  { 'x-max-bytes': MAX_MESSAGE_BYTES },
);

export const FAILURE = Type.Object({ code: Type.String(), message: Type.String(), errors: Type.Array(Type.String()), request_id: Type.String() });

/** In the past: the key is active at once. */
const ACTIVE_SINCE = '2026-01-01T00:00:00Z';

const attributes = {
  tag: 'Attributes',
  value: [
    { tag: 'CryptographicAlgorithm', type: 'Enumeration', value: 'AES' },
    { tag: 'CryptographicLength', type: 'Integer', value: 256 },
    { tag: 'CryptographicUsageMask', type: 'Integer', value: 12 },
    { tag: 'ActivationDate', type: 'DateTime', value: ACTIVE_SINCE },
  ],
};
const create = [{ tag: 'ObjectType', type: 'Enumeration', value: 'SymmetricKey' }, attributes];

const encrypt = {
  tag: 'Encrypt',
  value: [
    { tag: 'UniqueIdentifier', type: 'TextString', value: 'the identifier in the answer to Create' },
    { tag: 'Data', type: 'ByteString', value: '68656C6C6F' },
  ],
};

const legacy = (name: string, type: string, value: unknown) => ({
  tag: 'Attribute',
  value: [
    { tag: 'AttributeName', type: 'TextString', value: name },
    { tag: 'AttributeValue', type, value },
  ],
});

/** KMIP 1.x has templates where 2.x has attributes. */
export const LEGACY_EXAMPLES = {
  'Create an AES key': {
    tag: 'Create',
    value: [
      create[0],
      {
        tag: 'TemplateAttribute',
        value: [
          legacy('Cryptographic Algorithm', 'Enumeration', 'AES'),
          legacy('Cryptographic Length', 'Integer', 256),
          legacy('Cryptographic Usage Mask', 'Integer', 12),
          legacy('Activation Date', 'DateTime', ACTIVE_SINCE),
        ],
      },
    ],
  },
  'Encrypt with it': encrypt,
};

export const EXAMPLES = {
  'Create an AES key': { tag: 'Create', value: create },
  'Encrypt with it': encrypt,
  'Create, as a message': {
    tag: 'RequestMessage',
    value: [
      {
        tag: 'RequestHeader',
        value: [
          {
            tag: 'ProtocolVersion',
            value: [
              { tag: 'ProtocolVersionMajor', type: 'Integer', value: 2 },
              { tag: 'ProtocolVersionMinor', type: 'Integer', value: 1 },
            ],
          },
          { tag: 'BatchCount', type: 'Integer', value: 1 },
        ],
      },
      {
        tag: 'BatchItem',
        value: [
          { tag: 'Operation', type: 'Enumeration', value: 'Create' },
          { tag: 'RequestPayload', value: create },
        ],
      },
    ],
  },
};

/** A message in XML, for the path that accepts every encoding. */
export const XML_EXAMPLE = `<RequestMessage>
  <RequestHeader>
    <ProtocolVersion>
      <ProtocolVersionMajor type="Integer" value="2"/>
      <ProtocolVersionMinor type="Integer" value="1"/>
    </ProtocolVersion>
    <BatchCount type="Integer" value="1"/>
  </RequestHeader>
  <BatchItem>
    <Operation type="Enumeration" value="Query"/>
    <RequestPayload>
      <QueryFunction type="Enumeration" value="QueryOperations"/>
    </RequestPayload>
  </BatchItem>
</RequestMessage>`;
