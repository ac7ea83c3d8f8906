import { ReorderWindow } from '../../sip/rtp/reception/reorder-window.ts';
import { arrivalsIn, type NetworkConditions } from './network-conditions.ts';

const FRAME_MS = 20;
const SEQUENCES = 0x10000;
const PAYLOAD = new Uint8Array(160);

export interface TranscribedStream {
  /** Packets that arrived too late to be reordered for a transcriber, as a share of those sent, 0–1. */
  readonly tooLateShare: number;
}

/** The path to the transcriber, in virtual time: the reorder window waits at most 60 ms for a packet. */
export function transcribeOverNetwork(conditions: NetworkConditions, durationMs: number): TranscribedStream {
  const packets = Math.floor(durationMs / FRAME_MS);
  const reorderWindow = new ReorderWindow();
  let nextTickMs = 0;
  const release = (nowMs: number) => {
    while (reorderWindow.next(nowMs));
  };
  for (const { index, atMs } of arrivalsIn(conditions, packets, FRAME_MS)) {
    for (; nextTickMs <= atMs; nextTickMs += FRAME_MS) release(nextTickMs);
    reorderWindow.push(index % SEQUENCES, index * PAYLOAD.length, 0, PAYLOAD, 0, PAYLOAD.length, atMs);
    release(atMs);
  }
  return { tooLateShare: reorderWindow.late / packets };
}
