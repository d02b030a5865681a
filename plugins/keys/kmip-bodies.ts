// What the OpenAPI document says of KMIP messages: their outer form, and examples; the actor reads the rest.
import Type from 'typebox';

/** A node of JSON TTLV. */
export const BARE_OPERATION = Type.Object({
  tag: Type.String({ description: 'an operation, or RequestMessage' }),
  value: Type.Array(Type.Unknown(), { description: 'nodes: tag, type (absent for structures), value' }),
});

export const FAILURE = Type.Object({ code: Type.String(), message: Type.String(), errors: Type.Array(Type.String()), request_id: Type.String() });

const attributes = {
  tag: 'Attributes',
  value: [
    { tag: 'CryptographicAlgorithm', type: 'Enumeration', value: 'AES' },
    { tag: 'CryptographicLength', type: 'Integer', value: 256 },
    { tag: 'CryptographicUsageMask', type: 'Integer', value: 12 },
  ],
};
const create = [{ tag: 'ObjectType', type: 'Enumeration', value: 'SymmetricKey' }, attributes];

export const EXAMPLES = [
  { tag: 'Create', value: create },
  {
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
];
