import { decodeMulaw } from '../../base/audio/g711.ts';
import { measureTone, rootMeanSquare } from '../rtp-peer/tone.ts';

/** Short pieces, since a skip of a jitter buffer breaks the phase of a longer one. */
const PIECE_MS = 100;
/** Lowest root mean square of audible audio, in 16-bit sample units. */
const AUDIBLE = 1_000;

/** Duration in ms of the pieces that contain only this tone. */
export function toneMs(samples: Int16Array, frequencyHz: number, rateHz: number): number {
  return (
    pieces(samples, rateHz).filter((piece) => measureTone(piece, frequencyHz, rateHz).share > 0.9).length * PIECE_MS
  );
}

/** Decodes the audio that a transcriber received. */
export function transcribedSamples(audio: readonly Buffer[], encoding: string | null): Int16Array {
  const bytes = Uint8Array.from(Buffer.concat(audio));
  if (encoding === 'linear16') return new Int16Array(bytes.buffer, 0, bytes.length >> 1);
  const samples = new Int16Array(bytes.length);
  decodeMulaw(bytes, 0, bytes.length, samples);
  return samples;
}

function pieces(samples: Int16Array, rateHz: number): Int16Array[] {
  const length = (rateHz * PIECE_MS) / 1000;
  const count = Math.floor(samples.length / length);
  return Array.from({ length: count }, (_, i) => samples.subarray(i * length, (i + 1) * length)).filter(
    (piece) => rootMeanSquare(piece) > AUDIBLE,
  );
}
