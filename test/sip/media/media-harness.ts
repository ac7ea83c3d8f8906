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
import type { RtpParameters } from '../../../sip/rtp/rtp-parameters.ts';
import { type ReceivedPacket, RtpPeer } from '../../rtp-peer/rtp-peer.ts';
import { WebPeer } from './web-peer.ts';

export const MULAW = { encoding: 'mulaw', sampleRateHz: 8000 } as const;
/**
 * Ports of one test file. Enough that ports in use by other processes can be skipped. From 10,000 on, apart from those of the services of
 * other tests: late packets of a call there would reach a session here.
 */
const PORTS = 500;

/** Media services, sessions and peers of one test file, on its own ports. All are closed after each test. */
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
    const rtpPeer = await RtpPeer.open(address, port);
    closing.push(() => rtpPeer.close());
    return rtpPeer;
  }

  /** A call whose worker has its configuration: the first packet of the session has arrived. */
  async function connectedCall(
    changes: Partial<RtpMediaSessionOptions> = {},
    service: Partial<MediaServiceOptions> = {},
    parameters: Partial<RtpParameters> = {},
  ) {
    const mediaService = startMediaService(service);
    const [caller, opened] = await Promise.all([peer(), openSession(mediaService, changes)]);
    opened.session.configure(caller.session(parameters));
    await caller.more(1);
    return { mediaService, caller, ...opened };
  }

  async function webCall(changes: Partial<WebMediaSessionOptions> = {}) {
    const mediaService = startMediaService();
    await mediaService.ready();
    const session = await mediaService.openWeb({ callId: 'test', mediaTimeoutMs: 60_000, ...changes });
    const browser = new WebPeer(session);
    session.start();
    return { mediaService, session, browser, ...eventsOf(session) };
  }

  return { startMediaService, peer, connectedCall, webCall };
}

/** An open session, with its events so far, and `event`, which waits for the first of a type. */
export async function openSession(mediaService: WorkerMediaService, changes: Partial<RtpMediaSessionOptions> = {}) {
  await mediaService.ready();
  const session = await mediaService.open({ callId: 'test', mediaTimeoutMs: 60_000, codec: 'pcmu', ...changes });
  return { session, ...eventsOf(session) };
}

/**
 * Resolves once the worker has handled all messages that were sent to it before. It handles them in order, and answers the opening of
 * another session. A packet that comes before the configuration of its session is dropped.
 */
export async function workerCaughtUp(mediaService: WorkerMediaService): Promise<void> {
  await openSession(mediaService);
}

function eventsOf(session: MediaSession) {
  const events: MediaEvent[] = [];
  const waiting = new Set<() => void>();
  session.audio.onEvent((event) => {
    events.push(event);
    for (const check of waiting) check();
  });
  const event = (type: MediaEvent['type']): Promise<MediaEvent> =>
    new Promise((resolve) => {
      const check = () => {
        const found = events.find((candidate) => candidate.type === type);
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  return { events, event };
}

/** Collects the peer's audio from the session. `until` waits for a number of bytes. */
export function listen(session: RtpMediaSession) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let check = () => undefined;
  session.audio.onAudio((_, audio) => {
    chunks.push(audio);
    bytes += audio.length;
    check();
  });
  return {
    all: () => Uint8Array.from(Buffer.concat(chunks)),
    until: (count: number) =>
      new Promise<void>((resolve) => {
        check = () => {
          if (bytes >= count) resolve();
        };
        check();
      }),
  };
}

/**
 * Expects the packets of one session without a missing sequence number, each `units` of RTP time after the one before.
 * If this machine stalled the worker, RTP time may advance further. The packet then has the marker, at most as often
 * as the worker counted skipped packets.
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
