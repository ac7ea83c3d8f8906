import { ReorderWindow } from '../../sip/rtp/reception/reorder-window.ts';
import { arrivalsIn, type NetworkConditions } from './network-conditions.ts';

const FRAME_MS = 20;
const SEQUENCES = 0x10000;
const PAYLOAD = new Uint8Array(160);

export interface TranscribedStream {
  /** Packets that arrived, but too late to be put in order for a transcriber, 0–1 of those sent. */
  readonly tooLateShare: number;
}

/** The way to the transcriber, which waits no longer than 60 ms for order, in virtual time. */
export function transcribeOverNetwork(weather: NetworkConditions, durationMs: number): TranscribedStream {
  const packets = Math.floor(durationMs / FRAME_MS);
  const order = new ReorderWindow();
  let nextTickMs = 0;
  const release = (nowMs: number) => {
    while (order.next(nowMs));
  };
  for (const { index, atMs } of arrivalsIn(weather, packets, FRAME_MS)) {
    for (; nextTickMs <= atMs; nextTickMs += FRAME_MS) release(nextTickMs);
    order.push(index % SEQUENCES, index * PAYLOAD.length, 0, PAYLOAD, 0, PAYLOAD.length, atMs);
    release(atMs);
  }
  return { tooLateShare: order.late / packets };
}
