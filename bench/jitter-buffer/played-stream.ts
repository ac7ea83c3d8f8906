import { JitterBuffer, PLAYOUT_FRAME_SAMPLES, type PlayoutDelay } from '../../sip/rtp/jitter-buffer/jitter-buffer.ts';
import { percentilesOf } from '../percentiles.ts';
import { arrivalsIn, type NetworkConditions } from './network-conditions.ts';

const FRAME_MS = 20;
const SAMPLES_PER_MS = 8;
/** Samples are numbered, so that each identifies when it was sent. 0 is silence. */
const NUMBERS = 30_000;
/** The first 2 s are not measured: the buffer adapts to the network. */
const SETTLING_MS = 2000;

export interface PlayedStream {
  /** Share of concealed samples in the measured playout, 0–1. */
  readonly concealedShare: number;
  /** Packets that arrived too late to be played, as a share of those sent, 0–1. */
  readonly lateShare: number;
  /** From sending to playout: network and buffer together. */
  readonly delayP50Ms: number;
  readonly delayP95Ms: number;
  readonly resyncs: number;
}

/** Plays a stream of 20 ms packets that passed a network with these conditions, in virtual time. */
export function playOverNetwork(conditions: NetworkConditions, bounds: PlayoutDelay, durationMs: number): PlayedStream {
  const packets = Math.floor(durationMs / FRAME_MS);
  const arrivals = arrivalsIn(conditions, packets, FRAME_MS);
  const sentMs = new Float64Array(packets);
  for (const arrival of arrivals) sentMs[arrival.index] = arrival.sentMs;
  const buffer = new JitterBuffer(bounds);
  const audio = new Int16Array(PLAYOUT_FRAME_SAMPLES);
  const frame = new Int16Array(PLAYOUT_FRAME_SAMPLES);
  const delays: number[] = [];
  let next = 0;
  let played = 0;
  let real = 0;
  // Playout falls between two packets, because the clocks of the two ends are independent.
  for (let nowMs = FRAME_MS / 2; nowMs < durationMs; nowMs += FRAME_MS) {
    for (let arrival = arrivals[next]; arrival !== undefined && arrival.atMs <= nowMs; arrival = arrivals[++next]) {
      const first = arrival.index * PLAYOUT_FRAME_SAMPLES;
      for (let i = 0; i < PLAYOUT_FRAME_SAMPLES; i++) audio[i] = ((first + i) % NUMBERS) + 1;
      buffer.push(first, audio, PLAYOUT_FRAME_SAMPLES);
    }
    const realSamples = buffer.pull(frame);
    if (nowMs < SETTLING_MS) continue;
    played += PLAYOUT_FRAME_SAMPLES;
    real += realSamples;
    if (realSamples === PLAYOUT_FRAME_SAMPLES) delays.push(nowMs - spokenMs(frame[0] ?? 0, nowMs, sentMs));
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

/** Send time of a sample: of its packet, plus the sample's offset in it. The numbers wrap every 3.75 s. */
function spokenMs(number: number, nowMs: number, sentMs: Float64Array): number {
  const recent = nowMs * SAMPLES_PER_MS;
  const index = number - 1 + Math.round((recent - number - NUMBERS / 4) / NUMBERS) * NUMBERS;
  const packet = Math.floor(index / PLAYOUT_FRAME_SAMPLES);
  return (sentMs[packet] ?? Number.NaN) + (index % PLAYOUT_FRAME_SAMPLES) / SAMPLES_PER_MS;
}
