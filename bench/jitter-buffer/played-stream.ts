import { JitterBuffer, PLAYOUT_FRAME_SAMPLES, type PlayoutDelay } from '../../sip/rtp/jitter-buffer/jitter-buffer.ts';
import { percentilesOf } from '../percentiles.ts';
import { arrivalsIn, type NetworkConditions } from './network-conditions.ts';

const FRAME_MS = 20;
const SAMPLES_PER_MS = 8;
/** Samples are numbered, so that each tells when it was spoken; 0 is left to silence. */
const NUMBERS = 30_000;
/** The stream's first 2 s, in which the buffer learns what weather it is. */
const SETTLING_MS = 2000;

export interface PlayedStream {
  /** Of what was played once the stream had settled, 0–1: samples that were made up. */
  readonly concealedShare: number;
  /** Packets that came, but too late to be played, 0–1 of those sent. */
  readonly lateShare: number;
  /** Sent to played, network and buffer together. */
  readonly delayP50Ms: number;
  readonly delayP95Ms: number;
  readonly resyncs: number;
}

/** Plays a stream of packets of 20 ms that went through such weather, in virtual time. */
export function playOverNetwork(weather: NetworkConditions, bounds: PlayoutDelay, durationMs: number): PlayedStream {
  const packets = Math.floor(durationMs / FRAME_MS);
  const arrivals = arrivalsIn(weather, packets, FRAME_MS);
  const sentMs = new Float64Array(packets);
  for (const one of arrivals) sentMs[one.index] = one.sentMs;
  const buffer = new JitterBuffer(bounds);
  const audio = new Int16Array(PLAYOUT_FRAME_SAMPLES);
  const frame = new Int16Array(PLAYOUT_FRAME_SAMPLES);
  const delays: number[] = [];
  let next = 0;
  let played = 0;
  let real = 0;
  // Playout falls between two packets, as the far end's clock knows nothing of ours.
  for (let nowMs = FRAME_MS / 2; nowMs < durationMs; nowMs += FRAME_MS) {
    for (let one = arrivals[next]; one !== undefined && one.atMs <= nowMs; one = arrivals[++next]) {
      const first = one.index * PLAYOUT_FRAME_SAMPLES;
      for (let i = 0; i < PLAYOUT_FRAME_SAMPLES; i++) audio[i] = ((first + i) % NUMBERS) + 1;
      buffer.push(first, audio, PLAYOUT_FRAME_SAMPLES);
    }
    const got = buffer.pull(frame);
    if (nowMs < SETTLING_MS) continue;
    played += PLAYOUT_FRAME_SAMPLES;
    real += got;
    if (got === PLAYOUT_FRAME_SAMPLES) delays.push(nowMs - spokenMs(frame[0] ?? 0, nowMs, sentMs));
  }
  const { p50, p95 } = percentilesOf(delays);
  return {
    concealedShare: 1 - real / played,
    lateShare: buffer.late / packets,
    delayP50Ms: p50,
    delayP95Ms: p95,
    resyncs: buffer.resyncs,
  };
}

/** When the packet of that sample was sent, plus the sample's place in it: the numbers wrap every 3.75 s. */
function spokenMs(number: number, nowMs: number, sentMs: Float64Array): number {
  const recent = nowMs * SAMPLES_PER_MS;
  const index = number - 1 + Math.round((recent - number - NUMBERS / 4) / NUMBERS) * NUMBERS;
  const packet = Math.floor(index / PLAYOUT_FRAME_SAMPLES);
  return (sentMs[packet] ?? Number.NaN) + (index % PLAYOUT_FRAME_SAMPLES) / SAMPLES_PER_MS;
}
