import type { TranscriptEntry } from '../generated/client.ts';
import { type AxisStretch, stretchOf } from './time-axis.ts';

/** A piece of an entry between two pauses. */
export interface SpokenPart {
  readonly content: string;
  readonly stretch: AxisStretch;
}

interface GivenPart {
  readonly content: string;
  readonly start_time: string;
  readonly end_time: string | null;
}

/** The pieces of an entry, in order. An entry without a longer pause is one piece. */
export function speechParts(entry: TranscriptEntry, startMs: number): readonly SpokenPart[] {
  const given: unknown = entry.parts;
  const parts = Array.isArray(given) ? given.filter(isPart) : [];
  const pieces: readonly GivenPart[] = parts.length > 1 ? parts : [entry];
  return pieces.map((part) => ({ content: part.content, stretch: stretchOf(part, startMs) }));
}

/** The API declares no type for the further fields of an entry. */
function isPart(value: unknown): value is GivenPart {
  if (typeof value !== 'object' || value === null) return false;
  if (!('content' in value && 'start_time' in value && 'end_time' in value)) return false;
  const { content, end_time: end, start_time: start } = value;
  return typeof content === 'string' && typeof start === 'string' && (end === null || typeof end === 'string');
}
