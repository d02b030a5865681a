// Answers of /embeddings (the API of OpenAI): one vector for each text, in any order, by index.

interface Told {
  readonly data?: readonly ({ readonly index?: unknown; readonly embedding?: unknown } | null)[];
}

/** @returns vectors of length 1, in the order of the texts @throws Error that says what is wrong with the answer */
export async function readVectors(pieces: AsyncIterable<string>, count: number): Promise<Float32Array[]> {
  let text = '';
  for await (const piece of pieces) text += piece;
  const { data } = (JSON.parse(text) ?? {}) as Told;
  if (!Array.isArray(data) || data.length !== count) throw new Error(`the answer does not have ${count} vectors`);
  const vectors: Float32Array[] = new Array(count);
  for (const told of data) {
    const { index, embedding } = told ?? {};
    if (typeof index !== 'number' || !(index in data) || vectors[index]) throw new Error('the answer has vectors of unknown texts');
    vectors[index] = vectorOf(embedding);
  }
  return vectors;
}

function vectorOf(embedding: unknown): Float32Array {
  if (!Array.isArray(embedding) || embedding.length === 0 || !embedding.every((value) => typeof value === 'number' && Number.isFinite(value)))
    throw new Error('the answer has a vector that is not a list of numbers');
  const length = Math.sqrt((embedding as number[]).reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(embedding as number[], (value) => (length > 0 ? value / length : 0));
}
