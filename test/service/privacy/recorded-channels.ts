import { readFile } from 'node:fs/promises';
import { decodeWav } from '../../../base/audio/wav.ts';
import { measureTone } from '../../rtp-peer/tone.ts';

const RATE_HZ = 8_000;
/** Windows in which one frequency is told from another, in ms: 50 Hz apart. */
export const WINDOW_MS = 20;
/** Share of the energy at which a window holds a frequency. */
const HELD_SHARE = 0.2;
/** Below it a window is silent: the noise of G.711, in 16-bit units. */
const HEARD_LEVEL = 50;

export interface RecordedChannels {
  readonly user: Int16Array;
  readonly agent: Int16Array;
}

export async function recordedChannels(path: string): Promise<RecordedChannels> {
  return channelsOf(await readFile(path));
}

export function channelsOf(wav: Uint8Array): RecordedChannels {
  const { data = new Uint8Array() } = decodeWav(wav) ?? {};
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const channel = (offset: number) =>
    Int16Array.from({ length: data.length >> 2 }, (_, frame) => view.getInt16(4 * frame + offset, true));
  return { user: channel(0), agent: channel(2) };
}

/** The starts of the windows in which the frequency is heard, in ms. */
export function windowsWith(samples: Int16Array, frequencyHz: number): readonly number[] {
  const length = (WINDOW_MS * RATE_HZ) / 1000;
  const found: number[] = [];
  for (let at = 0; at + length <= samples.length; at += length) {
    const { level, share } = measureTone(samples.subarray(at, at + length), frequencyHz);
    if (share > HELD_SHARE && level > HEARD_LEVEL) found.push((at * 1000) / RATE_HZ);
  }
  return found;
}
