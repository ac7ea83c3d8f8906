import { z } from 'zod';

/** Numbers of one vector; the largest models have 4,096. */
const DIMENSIONS_MAX = 8_192;
const FLOAT_BYTES = 4;

const answerSchema = z.object({
  data: z.array(
    z.object({
      index: z.int(),
      // Servers that know no base64 write numbers.
      embedding: z.union([z.base64(), z.array(z.number())]),
    }),
  ),
});

/** A vector of length 1 for each of so many texts, in their order; null where the answer does not hold that. */
export function vectorsOf(answer: unknown, texts: number): readonly Float32Array[] | null {
  const read = answerSchema.safeParse(answer);
  if (!read.success) return null;
  const vectors = new Map(read.data.data.map(({ embedding, index }) => [index, unitVector(numbersOf(embedding))]));
  const ordered = Array.from({ length: texts }, (_, index) => vectors.get(index) ?? null);
  const whole = ordered.filter((vector) => vector !== null);
  const dimensions = whole[0]?.length;
  return whole.length === texts && whole.every(({ length }) => length === dimensions) ? whole : null;
}

/** Base64 holds floats of 32 bits in little-endian order, the order of every machine that Node runs on. */
function numbersOf(embedding: string | readonly number[]): Float32Array {
  if (typeof embedding !== 'string') return Float32Array.from(embedding);
  // A copy, which starts where floats may start.
  const bytes = Uint8Array.from(Buffer.from(embedding, 'base64'));
  return bytes.length % FLOAT_BYTES === 0 ? new Float32Array(bytes.buffer) : new Float32Array();
}

/** In its direction; null for one that has none. */
function unitVector(numbers: Float32Array): Float32Array | null {
  const length = Math.sqrt(numbers.reduce((sum, number) => sum + number * number, 0));
  const isVector = numbers.length > 0 && numbers.length <= DIMENSIONS_MAX && Number.isFinite(length) && length > 0;
  return isVector ? numbers.map((number) => number / length) : null;
}
