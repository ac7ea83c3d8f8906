import { afterEach, expect } from 'vitest';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import {
  createMediaService,
  type MediaServiceOptions,
  type WorkerMediaService,
} from '../../../sip/media/main-thread/create-media-service.ts';
import type {
  MediaSession,
  RtpMediaSession,
  RtpMediaSessionOptions,
  WebMediaSessionOptions,
} from '../../../sip/media/media-service.ts';
import { type ReceivedPacket, RtpPeer } from '../../rtp-peer/rtp-peer.ts';
import { WebPeer } from './web-peer.ts';

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

  function startMediaService(changes: Partial<MediaServiceOptions> = {}): WorkerMediaService {
    const mediaService = createMediaService({ ports, workers: 1, ...changes });
    closing.push(() => mediaService.close());
    return mediaService;
  }

  async function peer(address?: string, port?: number): Promise<RtpPeer> {
    const one = await RtpPeer.open(address, port);
    closing.push(() => one.close());
    return one;
  }

  async function connectedCall(changes: Partial<RtpMediaSessionOptions> = {}) {
    const mediaService = startMediaService();
    const [caller, opened] = await Promise.all([peer(), openLeg(mediaService, changes)]);
    opened.leg.configure(caller.session());
    return { mediaService, caller, ...opened };
  }

  async function webCall(changes: Partial<WebMediaSessionOptions> = {}) {
    const mediaService = startMediaService();
    await mediaService.ready();
    const leg = await mediaService.openWeb({ callId: 'test', mediaTimeoutMs: 60_000, ...changes });
    const browser = new WebPeer(leg);
    leg.start();
    return { mediaService, leg, browser, ...eventsOf(leg) };
  }

  return { startMediaService, peer, connectedCall, webCall };
}

/** A leg whose events are kept and can be waited for. */
export async function openLeg(mediaService: WorkerMediaService, changes: Partial<RtpMediaSessionOptions> = {}) {
  await mediaService.ready();
  const leg = await mediaService.open({ callId: 'test', mediaTimeoutMs: 60_000, codec: 'pcmu', ...changes });
  return { leg, ...eventsOf(leg) };
}

function eventsOf(leg: MediaSession) {
  const events: MediaEvent[] = [];
  const waiting = new Set<() => void>();
  leg.audio.onEvent((event) => {
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
  return { events, event };
}

/** Collects what the leg's listener is given, and lets tests wait for so many bytes. */
export function listen(leg: RtpMediaSession) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let look = () => undefined;
  leg.audio.onAudio((_, audio) => {
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

/**
 * What holds of the packets of one leg: no sequence number is missing, and each is as much later in RTP time as the one before it
 * is long. Only where this machine kept the worker from sending has time gone on further, which the marker then tells; so it
 * does no more often than the worker has counted.
 */
export function expectInStep(
  mediaService: WorkerMediaService,
  packets: readonly ReceivedPacket[],
  units: number,
): void {
  let holes = 0;
  packets.slice(1).forEach((packet, i) => {
    const before = packets[i];
    expect((packet.sequence - (before?.sequence ?? 0)) & 0xffff).toBe(1);
    const later = (packet.timestamp - (before?.timestamp ?? 0)) >>> 0;
    if (!packet.marker) expect(later).toBe(units);
    else {
      expect(later).toBeGreaterThan(units);
      holes++;
    }
  });
  expect(holes).toBeLessThanOrEqual(mediaService.workers.reduce((sum, { skipped }) => sum + skipped, 0));
}
