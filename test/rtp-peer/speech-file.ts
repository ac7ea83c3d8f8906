import { readFile } from 'node:fs/promises';
import { decodeAlaw, decodeMulaw } from '../../base/audio/g711.ts';
import { decodeWav } from '../../base/audio/wav.ts';

/** The samples of a mono WAV at 8 kHz, PCM or G.711. Rejects for any other file. */
export async function readSpeech(path: string): Promise<Int16Array> {
  const wav = decodeWav(await readFile(path));
  if (wav === null || wav.channels !== 1 || wav.format.sampleRateHz !== 8000) {
    throw new Error(`${path} cannot be read: expected a mono WAV file at 8 kHz, 16-bit PCM or G.711`);
  }
  if (wav.format.encoding === 'linear16') return new Int16Array(wav.data.slice().buffer);
  const samples = new Int16Array(wav.data.length);
  const decode = wav.format.encoding === 'mulaw' ? decodeMulaw : decodeAlaw;
  decode(wav.data, 0, wav.data.length, samples);
  return samples;
}
