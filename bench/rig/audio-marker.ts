/**
 * Eight bytes in place of the first samples of a frame. They identify a turn's audio at the other end of the service, which
 * passes mu-law on undecoded in both directions.
 *
 *     4D 61 72 6B  kind  turn  call (16 bit)
 */
export interface Marker {
  readonly kind: MarkerKind;
  readonly turn: number;
  readonly call: number;
}

export type MarkerKind = 'line_begins' | 'line_ends' | 'answer_begins' | 'answer_ends';

export const FRAME_BYTES = 160;
/** In mu-law. */
export const SILENCE = 0xff;

const MAGIC = Buffer.from('Mark');
const KINDS: readonly MarkerKind[] = ['line_begins', 'line_ends', 'answer_begins', 'answer_ends'];
const MARKER_BYTES = 8;

/** Writes a marker over the beginning of the frame at `at`. */
export function writeMarker(audio: Buffer, at: number, { kind, turn, call }: Marker): void {
  MAGIC.copy(audio, at);
  audio[at + 4] = KINDS.indexOf(kind);
  audio[at + 5] = turn;
  audio.writeUInt16BE(call, at + 6);
}

/** The first marker from offset `from`, and the end of its frame; null without one. */
export function findMarker(audio: Buffer, from = 0): { readonly marker: Marker; readonly end: number } | null {
  const at = audio.indexOf(MAGIC, from);
  if (at < 0 || at + MARKER_BYTES > audio.length) return null;
  const kind = KINDS[audio[at + 4] ?? 0];
  if (kind === undefined) return null;
  return { marker: { kind, turn: audio[at + 5] ?? 0, call: audio.readUInt16BE(at + 6) }, end: at + FRAME_BYTES };
}
