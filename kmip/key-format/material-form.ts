// Checks that the value of a new key has the form that its key block says: bytes or a structure (KMIP 2.1 tables 12, 13 and 18).
import { Refusal } from '../refusal.ts';
import { type Structure, TYPE } from '../ttlv/node.ts';
import { child, enumNameOf, structureOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';

/**
 * Asked of new objects only: what was taken before still opens.
 * @throws Refusal InvalidField for a value that others than this server could not read
 */
export function requireMaterialForm(content: Structure): void {
  const block = structureOf(content, TAG.KeyBlock);
  const value = block && child(block, TAG.KeyValue);
  // Some clients put wrapped bytes into a structure.
  if (!value || child(block, TAG.KeyWrappingData)) return;
  if (value.type !== TYPE.Structure) throw new Refusal('InvalidField', 'KeyValue: a key without KeyWrappingData takes a Structure, not a ByteString');
  const format = enumNameOf(block, TAG.KeyFormatType, 'KeyFormatType');
  const isStructure = child(value, TAG.KeyMaterial)?.type === TYPE.Structure;
  if (format === undefined || isStructure === format.startsWith('Transparent')) return;
  const [takes, given] = isStructure ? ['ByteString', 'Structure'] : ['Structure', 'ByteString'];
  throw new Refusal('InvalidField', `KeyMaterial: the format ${format} takes a ${takes}, not a ${given}`);
}
