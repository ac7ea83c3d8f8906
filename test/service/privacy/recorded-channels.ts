import { readFile } from 'node:fs/promises';
import { decodeWav } from '../../../base/audio/wav.ts';
import { measureTone } from '../../rtp-peer/tone.ts';

const RATE_HZ = 8_000;
const FRAMES_PER_MS = RATE_HZ / 1000;
/** A period of the tone: within it a sample may be equal by chance. */
const EQUAL_FRAMES_MAX = 8;
/** Windows in which two frequencies are distinguished, in ms: 50 Hz apart. */
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

/** The starts of the windows in which the frequency is heard, in ms. `heldShare`: 0.99 if nothing else may be. */
export function windowsWith(samples: Int16Array, frequencyHz: number, heldShare = HELD_SHARE): readonly number[] {
  const length = (WINDOW_MS * RATE_HZ) / 1000;
  const found: number[] = [];
  for (let at = 0; at + length <= samples.length; at += length) {
    const { level, share } = measureTone(samples.subarray(at, at + length), frequencyHz);
    if (share > heldShare && level > HEARD_LEVEL) found.push((at * 1000) / RATE_HZ);
  }
  return found;
}

export interface ChangedStretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The stretches in which the redacted recording differs from the original; all other samples of both channels are equal. The original may
 * be shorter.
 */
export function changedStretches(original: RecordedChannels, redacted: RecordedChannels): readonly ChangedStretch[] {
  const found: { from: number; to: number }[] = [];
  for (let at = 0; at < original.user.length; at++) {
    if (original.user[at] === redacted.user[at] && original.agent[at] === redacted.agent[at]) continue;
    const last = found.at(-1);
    if (last !== undefined && at - last.to <= EQUAL_FRAMES_MAX) last.to = at + 1;
    else found.push({ from: at, to: at + 1 });
  }
  return found.map(({ from, to }) => ({ fromMs: from / FRAMES_PER_MS, toMs: to / FRAMES_PER_MS }));
}

/** Both channels are nothing but this frequency in the stretch, each window of it. */
export function isOnly(
  { agent, user }: RecordedChannels,
  frequencyHz: number,
  { fromMs, toMs }: ChangedStretch,
): boolean {
  return [user, agent].every((channel) => {
    const stretch = channel.subarray(Math.round(fromMs * FRAMES_PER_MS), Math.round(toMs * FRAMES_PER_MS));
    const windows = Math.floor(stretch.length / FRAMES_PER_MS / WINDOW_MS);
    return windowsWith(stretch, frequencyHz, 0.99).length === windows;
  });
}
