// Tells whether a graph has an operator, by its name in the file: ONNX Runtime says nothing of operators, and some want their inputs otherwise.
import { createReadStream } from 'node:fs';

const CHUNK_BYTES = 4_194_304;

/** @param operator as ONNX names it; weights do not have such a name by chance @throws an error of the file system */
export async function hasOperator(path: string, operator: string): Promise<boolean> {
  let end = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    // It may begin in one chunk and end in the next.
    const both = Buffer.concat([end, chunk as Buffer]);
    if (both.includes(operator)) return true;
    end = both.subarray(-operator.length);
  }
  return false;
}
