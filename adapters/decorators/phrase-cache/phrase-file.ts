import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Phrase } from './phrase.ts';

/**
 * One phrase as a file:
 *
 *     {"phrase":1,"format":…,"words":[…],"bytes":N,"sha256":"…"} LF
 *     N bytes of audio
 */
const headerSchema = z.object({
  phrase: z.literal(1),
  format: z.object({ encoding: z.enum(['mulaw', 'alaw', 'linear16']), sampleRateHz: z.number().int().positive() }),
  words: z.array(z.object({ text: z.string(), startMs: z.number(), endMs: z.number() })),
  bytes: z.number().int().positive(),
  sha256: z.string(),
});

const LF = 0x0a;

export function encodePhrase({ format, audio, words }: Phrase): Uint8Array {
  const header = { phrase: 1, format, words, bytes: audio.length, sha256: sha256(audio) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), audio]);
}

/** Null if the bytes are not exactly one phrase. */
export function decodePhrase(file: Uint8Array): Phrase | null {
  const end = file.indexOf(LF);
  if (end < 0) return null;
  const header = headerSchema.safeParse(parsed(Buffer.from(file.subarray(0, end)).toString('utf8')));
  const audio = file.subarray(end + 1);
  if (!header.success || header.data.bytes !== audio.length || header.data.sha256 !== sha256(audio)) return null;
  const { format, words } = header.data;
  return { format, audio, words };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
