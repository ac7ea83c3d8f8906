import { afterEach } from 'vitest';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import type { MediaLeg, MediaLegOptions } from '../../../sip/media-worker/media-plane.ts';
import { createMediaPlane, type MediaPlaneOptions, type WorkerMediaPlane } from '../../../sip/media-worker/plane.ts';
import { RtpPeer } from './rtp-peer.ts';

export const MULAW = { encoding: 'mulaw', sampleRateHz: 8000 } as const;
/** Wide enough that what other processes hold is passed over. */
const PORTS = 1000;

/** Planes, legs and peers of one test file on ports of its own; all are closed after each test. */
export function mediaHarness(firstPort: number) {
  const closing: (() => unknown)[] = [];
  const ports = { first: firstPort, last: firstPort + PORTS - 1 };

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  function startPlane(changes: Partial<MediaPlaneOptions> = {}): WorkerMediaPlane {
    const plane = createMediaPlane({ ports, workers: 1, ...changes });
    closing.push(() => plane.close());
    return plane;
  }

  async function peer(address?: string, port?: number): Promise<RtpPeer> {
    const one = await RtpPeer.open(address, port);
    closing.push(() => one.close());
    return one;
  }

  async function connectedCall(changes: Partial<MediaLegOptions> = {}) {
    const plane = startPlane();
    const [caller, opened] = await Promise.all([peer(), openLeg(plane, changes)]);
    opened.leg.configure(caller.session());
    return { plane, caller, ...opened };
  }

  return { startPlane, peer, connectedCall };
}

/** A leg whose events are kept and can be waited for. */
export async function openLeg(plane: WorkerMediaPlane, changes: Partial<MediaLegOptions> = {}) {
  const leg = await plane.open({ callId: 'test', mediaTimeoutMs: 60_000, codec: 'pcmu', ...changes });
  const events: MediaEvent[] = [];
  const waiting = new Set<() => void>();
  leg.onEvent((event) => {
    events.push(event);
    for (const look of waiting) look();
  });
  const event = (type: MediaEvent['type']): Promise<MediaEvent> =>
    new Promise((resolve) => {
      const look = () => {
        const found = events.find((one) => one.type === type);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { leg, events, event };
}

/** Collects what the leg's listener is given, and lets tests wait for so many bytes. */
export function listen(leg: MediaLeg) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let look = () => undefined;
  leg.onAudio((_, audio) => {
    chunks.push(audio);
    bytes += audio.length;
    look();
  });
  return {
    all: () => Uint8Array.from(Buffer.concat(chunks)),
    until: (count: number) =>
      new Promise<void>((resolve) => {
        look = () => {
          if (bytes >= count) resolve();
        };
        look();
      }),
  };
}
