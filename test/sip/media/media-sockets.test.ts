import { readdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSystemCalls } from '../../../sip/media/udp/system-calls.ts';
import type { ChosenSockets, UdpSocketChoice } from '../../../sip/media/udp/udp-sockets.ts';
import { terminateThread } from '../../worker-threads.ts';
import { listen, MULAW, mediaHarness } from './media-harness.ts';

const { startMediaService, connectedCall } = mediaHarness(12_000);
const hasEpoll = await loadSystemCalls().then(
  () => true,
  () => false,
);
const PACKET_BYTES = 160;
const PACKETS = 40;
const RESPAWNS = 3;
/** All codes but those of silence. */
const speech = Uint8Array.from({ length: PACKETS * PACKET_BYTES }, (_, i) => 1 + ((i * 7 + (i >> 7)) % 120));

/** The audio that the peer and the service hear of each other. */
async function audioOf(sockets: UdpSocketChoice) {
  const { session, caller, event, mediaService } = await connectedCall({}, { sockets });
  const heard = listen(session);
  session.audio.play(0, 0, MULAW, speech);
  session.audio.endSegment(0, 0);
  for (let at = 0; at < speech.length; at += PACKET_BYTES) {
    await caller.send(session.port, speech.subarray(at, at + PACKET_BYTES));
    await caller.more(1);
  }
  await heard.until(speech.length);
  await event('segment_ended');
  // UDP on the loopback keeps the order: all of the segment has arrived before the silence after it.
  await caller.more(1);
  const byPeer = Uint8Array.from(caller.audio().filter((code) => code !== 0xff));
  const [worker] = mediaService.workers;
  return { byService: heard.all(), byPeer, skipped: worker?.skipped ?? 0, type: worker?.sockets };
}

/** The packets of `speech` that are not in this audio, if it has no others and keeps their order; otherwise null. */
function missingPackets(audio: Uint8Array): number | null {
  let at = 0;
  for (let from = 0; from < speech.length; from += PACKET_BYTES) {
    if (Buffer.compare(speech.subarray(from, from + PACKET_BYTES), audio.subarray(at, at + PACKET_BYTES)) === 0)
      at += PACKET_BYTES;
  }
  return at === audio.length ? (speech.length - at) / PACKET_BYTES : null;
}

describe('sockets of the media workers', () => {
  it('carry the same audio in both directions, whichever they are', async () => {
    const [auto, dgram] = await Promise.all([audioOf('auto'), audioOf('dgram')]);
    expect([auto.type, dgram.type]).toEqual([hasEpoll ? 'epoll' : 'dgram', 'dgram']);
    for (const { byPeer, byService, skipped } of [auto, dgram]) {
      expect(byService).toEqual(speech);
      // A worker that had to wait too long for a core skips packets, whatever carries them.
      const missing = missingPackets(byPeer);
      expect(missing).not.toBeNull();
      expect(missing).toBeLessThanOrEqual(skipped);
    }
  });

  it('are reported once, with the reason for dgram', async () => {
    const reported: ChosenSockets[] = [];
    const service = startMediaService({ workers: 2, sockets: 'dgram', onSockets: (chosen) => reported.push(chosen) });
    await service.ready();
    expect(reported).toEqual([{ type: 'dgram', reason: 'RTP_SOCKETS=dgram' }]);
    expect(service.workers.map(({ sockets }) => sockets)).toEqual(['dgram', 'dgram']);
  });

  it.skipIf(!hasEpoll)('are closed when their worker ends, however it ends', async () => {
    const { session, caller, mediaService } = await connectedCall();
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const isRestored = () =>
      new Promise<void>((resolve) => session.audio.onEvent(({ type }) => type === 'restored' && resolve()));
    await caller.more(1);
    const counts: number[] = [];
    for (let respawn = 0; respawn < RESPAWNS; respawn++) {
      const restored = isRestored();
      await terminateThread(mediaService.workers[0]?.threadId);
      await restored;
      await caller.more(1);
      counts.push(openFiles());
    }
    onTestFinished(() => session.close());
    // A worker that kept its sockets would leave three files each time: epoll, RTP and RTCP. Other files of the process come and go.
    expect((counts.at(-1) ?? 0) - (counts[0] ?? 0)).toBeLessThan(RESPAWNS - 1);
  });
});
