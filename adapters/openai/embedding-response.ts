import { z } from 'zod';

/** Length of one vector; the largest models have 4,096 numbers. */
const DIMENSIONS_MAX = 8_192;
const FLOAT_BYTES = 4;

const answerSchema = z.object({
  data: z.array(
    z.object({
      index: z.int(),
      // Servers without support for base64 send numbers.
      embedding: z.union([z.base64(), z.array(z.number())]),
    }),
  ),
});

/** One vector of length 1 for each of the texts, in their order; null if the response does not contain them. */
export function vectorsOf(answer: unknown, texts: number): readonly Float32Array[] | null {
  const read = answerSchema.safeParse(answer);
  if (!read.success) return null;
  const vectors = new Map(read.data.data.map(({ embedding, index }) => [index, unitVector(numbersOf(embedding))]));
  const ordered = Array.from({ length: texts }, (_, index) => vectors.get(index) ?? null);
  const whole = ordered.filter((vector) => vector !== null);
  const dimensions = whole[0]?.length;
  return whole.length === texts && whole.every(({ length }) => length === dimensions) ? whole : null;
}

/** Base64 holds 32-bit floats in little-endian order, the byte order of every machine that Node runs on. */
function numbersOf(embedding: string | readonly number[]): Float32Array {
  if (typeof embedding !== 'string') return Float32Array.from(embedding);
  // The copy aligns the bytes for a Float32Array.
  const bytes = Uint8Array.from(Buffer.from(embedding, 'base64'));
  return bytes.length % FLOAT_BYTES === 0 ? new Float32Array(bytes.buffer) : new Float32Array();
}

/** The vector scaled to length 1; null for a zero vector. */
function unitVector(numbers: Float32Array): Float32Array | null {
  const length = Math.sqrt(numbers.reduce((sum, number) => sum + number * number, 0));
  const isVector = numbers.length > 0 && numbers.length <= DIMENSIONS_MAX && Number.isFinite(length) && length > 0;
  return isVector ? numbers.map((number) => number / length) : null;
}
