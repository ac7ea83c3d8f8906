import { createSocket, type Socket } from 'node:dgram';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeMulaw } from '../../../base/audio/g711.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import { joined, silence, tone } from '../../../fixtures/sound/synthesis.ts';
import type { WorkerMediaService } from '../../../sip/media/main-thread/create-media-service.ts';
import { voicedBytes } from '../../rtp-peer/rtp-peer.ts';
import { terminateThread } from '../../worker-threads.ts';
import { hangThread } from '../heartbeat/hanging-thread.ts';
import { MULAW, mediaHarness } from './media-harness.ts';

/** Apart from the ports of the other tests, so that ports released here can be bound again. */
const FIRST_PORT = 16_500;
const { startMediaService, peer } = mediaHarness(FIRST_PORT);
/** The events of a call whose worker is replaced. */
const REPLACED: MediaEvent['type'][] = ['suspended', 'restored'];

async function flowingCall(mediaService: WorkerMediaService, recordingPath?: string) {
  const caller = await peer();
  const recording = recordingPath === undefined ? {} : { recordingPath };
  await mediaService.ready();
  const session = await mediaService.open({ callId: 'test', mediaTimeoutMs: 60_000, codec: 'pcmu', ...recording });
  const events: MediaEvent[] = [];
  session.audio.onEvent((event) => {
    events.push(event);
    if (event.type === 'failed') caller.fail(event.message);
  });
  session.configure(caller.session());
  await caller.more(1);
  return { caller, session, events };
}

/** Kills the worker and binds its port as soon as it is free, before this thread receives the exit event. */
function killWorkerAndBindPort(mediaService: WorkerMediaService, port: number): Promise<void> {
  const killed = terminateThread(mediaService.workers[0]?.threadId);
  for (;;) {
    const socket = createSocket({ type: 'udp4', lookup: (host, _options, callback) => callback(null, host, 4) });
    socket.on('error', () => undefined);
    socket.bind({ address: '127.0.0.1', port, exclusive: true });
    if (isBound(socket)) {
      onTestFinished(() => void socket.close());
      return killed;
    }
    socket.close();
  }
}

function isBound(socket: Socket): boolean {
  try {
    return socket.address().port > 0;
  } catch {
    return false;
  }
}

describe('exit of a media worker', () => {
  it('calls continue within a second on the same ports with a new SSRC, and play their queued audio', async () => {
    const mediaService = startMediaService();
    const calls = await Promise.all([flowingCall(mediaService), flowingCall(mediaService), flowingCall(mediaService)]);
    const queued = Array.from({ length: 8000 }, (_, i) => i % 200);
    for (const { session } of calls) {
      session.audio.play(0, 0, MULAW, Uint8Array.from(queued));
      session.audio.endSegment(0, 0);
    }
    await Promise.all(calls.map(({ caller }) => caller.until(() => voicedBytes(caller.audio()) >= 1600)));
    const firstSsrcs = calls.map(({ caller }) => caller.packets[0]?.ssrc);
    await terminateThread(mediaService.workers[0]?.threadId);
    // A second worker, started now, measures how long this machine takes to load one.
    const killedMs = performance.now();
    const secondLoaded = startMediaService({ ports: { first: FIRST_PORT + 900, last: FIRST_PORT + 999 } }).ready();
    const restored = Promise.all(
      calls.map(({ caller }, i) => caller.until(() => caller.packets.at(-1)?.ssrc !== firstSsrcs[i])),
    );
    const [loadedMs, restoredMs] = await Promise.all(
      [secondLoaded, restored].map((done) => done.then(() => performance.now())),
    );
    expect((restoredMs ?? 0) - Math.max(loadedMs ?? 0, killedMs)).toBeLessThan(1000);
    for (const { caller, session, events } of calls) {
      await caller.until(() => events.some(({ type }) => type === 'segment_ended'));
      await caller.until(() => voicedBytes(caller.audio().subarray(-160)) === 0);
      const heard = [...caller.audio().filter((code) => code !== 0xff)];
      // The packet that the worker was sending at its exit is lost.
      const hole = heard.findIndex((code, i) => code !== queued[i]);
      if (heard.length < queued.length) heard.splice(hole, 0, ...queued.slice(hole, hole + 160));
      expect(heard).toEqual(queued);
      expect(new Set(caller.packets.map(({ port }) => port))).toEqual(new Set([session.port]));
      expect(events.map((event) => event.type)).toEqual(['segment_started', ...REPLACED, 'segment_ended']);
    }
  });

  it('the caller is received from the same latched address, and audioMs continues', async () => {
    const mediaService = startMediaService();
    const { caller, session, events } = await flowingCall(mediaService);
    let heard = 0;
    session.audio.onAudio((_, audio) => {
      heard += audio.length;
    });
    await caller.sendAtOnce(session.port, new Uint8Array(50 * 160).fill(0xff));
    while ((await mediaService.statistics()).packetsReceived < 50) await caller.more(1);
    await caller.more(3);
    await terminateThread(mediaService.workers[0]?.threadId);
    const ssrc = caller.packets[0]?.ssrc;
    await caller.until(() => caller.packets.at(-1)?.ssrc !== ssrc);
    const loud = Uint8Array.from({ length: 160 }, (_, i) => (i % 20 < 10 ? 0x10 : 0x90));
    await caller.sendAtOnce(
      session.port,
      Uint8Array.from({ length: 30 * 160 }, (_, i) => loud[i % 160] ?? 0),
    );
    await caller.until(() => events.some((event) => event.type === 'speech_stopped'));
    await caller.until(() => heard >= 80 * 160);
    expect(heard).toBe(80 * 160);
    for (const event of events) if ('audioMs' in event) expect(event.audioMs).toBeGreaterThanOrEqual(1000);
  });

  it('the next worker confirms the commands that the exited worker did not', async () => {
    const mediaService = startMediaService();
    const { caller, session, events } = await flowingCall(mediaService);
    session.audio.play(0, 0, MULAW, new Uint8Array(40_000).fill(1));
    await caller.until(() => voicedBytes(caller.audio()) >= 800);
    const killed = terminateThread(mediaService.workers[0]?.threadId);
    session.audio.pause();
    session.audio.clear(0);
    await killed;
    await caller.until(() => events.some((event) => event.type === 'cleared'));
    const playedMs = voicedBytes(caller.audio()) / 8;
    expect(events.slice(-2)).toEqual([
      { type: 'cleared', utterance: 0, playedMs },
      { type: 'paused', utterance: 0, playedMs },
    ]);
  });

  it('the ports of its calls stay reserved while no worker runs', async () => {
    const mediaService = startMediaService();
    const { caller, session } = await flowingCall(mediaService);
    await terminateThread(mediaService.workers[0]?.threadId);
    await expect(peer('127.0.0.1', session.port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(peer('127.0.0.1', session.port + 1)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await caller.more(10);
  });

  it('the ports of a call that ends while no worker runs are freed', async () => {
    const mediaService = startMediaService();
    const { session } = await flowingCall(mediaService);
    await terminateThread(mediaService.workers[0]?.threadId);
    session.close();
    await peer('127.0.0.1', session.port);
    await peer('127.0.0.1', session.port + 1);
  });

  it('a call whose ports are taken by another process fails within about a second, and the others continue', async () => {
    const mediaService = startMediaService();
    const [lost, kept] = await Promise.all([flowingCall(mediaService), flowingCall(mediaService)]);
    const failed = new Promise<MediaEvent>((resolve) => {
      lost.session.audio.onEvent((event) => {
        if (event.type === 'failed') resolve(event);
      });
    });
    await killWorkerAndBindPort(mediaService, lost.session.port);
    expect(await failed).toMatchObject({ type: 'failed' });
    const before = kept.caller.packets.length;
    await kept.caller.more(10);
    expect(kept.caller.packets.length).toBeGreaterThan(before);
    expect(kept.events.map(({ type }) => type)).toEqual(REPLACED);
    await lost.session.recorded;
    expect(mediaService.workers[0]?.calls).toBe(1);
  });

  it('a new call in the slot of a call that ended while its ports were refused continues', async () => {
    const mediaService = startMediaService();
    const [{ session }, kept] = await Promise.all([flowingCall(mediaService), flowingCall(mediaService)]);
    const ssrc = kept.caller.packets[0]?.ssrc;
    await killWorkerAndBindPort(mediaService, session.port);
    // The next worker opens the two calls in order. So it has already refused the ports of the first.
    await kept.caller.until(() => kept.caller.packets.at(-1)?.ssrc !== ssrc);
    session.close();
    await session.recorded;
    const { caller, events } = await flowingCall(mediaService);
    expect(mediaService.workers[0]?.calls).toBe(2);
    // Longer than the interval after which the first call's ports would be tried again.
    await caller.more(20);
    expect(events).toEqual([]);
  });

  it('the recording is kept, valid, and marked incomplete', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-media-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const mediaService = startMediaService();
    const path = join(folder, 'call.wav');
    const { caller, session } = await flowingCall(mediaService, path);
    await caller.more(10);
    await terminateThread(mediaService.workers[0]?.threadId);
    await caller.more(10);
    session.close();
    const outcome = await session.recorded;
    expect(outcome).toMatchObject({ path, complete: false });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(400);
    const wav = await readFile(path);
    expect(wav.subarray(0, 4).toString()).toBe('RIFF');
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
  });

  it('a session that is being opened or closed when the worker exits is opened or closed', async () => {
    const mediaService = startMediaService();
    const { session } = await flowingCall(mediaService);
    const opening = mediaService.open({ callId: 'opening', mediaTimeoutMs: 1000, codec: 'pcmu' });
    session.close();
    await terminateThread(mediaService.workers[0]?.threadId);
    await session.recorded;
    const opened = await opening;
    expect(opened.port).toBeGreaterThan(0);
    expect((await mediaService.statistics()).sessions).toBe(1);
  });

  it('statistics continue counting, and capacity accepts calls again with the next worker', async () => {
    const mediaService = startMediaService();
    const { caller } = await flowingCall(mediaService);
    await caller.more(10);
    const before = await mediaService.statistics();
    await terminateThread(mediaService.workers[0]?.threadId);
    expect(mediaService.capacity()).toMatchObject({ accepted: false });
    await caller.more(10);
    expect(mediaService.capacity()).toEqual({ accepted: true });
    expect((await mediaService.statistics()).packetsSent).toBeGreaterThanOrEqual(before.packetsSent + 10);
  });

  it('a worker that hangs is replaced', async () => {
    const mediaService = startMediaService();
    const { caller, events } = await flowingCall(mediaService);
    const ssrc = caller.packets[0]?.ssrc;
    await hangThread('media');
    await caller.until(() => caller.packets.at(-1)?.ssrc !== ssrc);
    await caller.more(10);
    expect(events.map(({ type }) => type)).toEqual(REPLACED);
  });

  it('the next worker detects the requested tones', async () => {
    const mediaService = startMediaService();
    const { caller, session, events } = await flowingCall(mediaService);
    const firstSsrc = caller.packets[0]?.ssrc;
    session.audio.listenForTones(true);
    await terminateThread(mediaService.workers[0]?.threadId);
    await caller.until(() => caller.packets.at(-1)?.ssrc !== firstSsrc);
    const sound = joined([silence(400), tone([1_000], 400), silence(600)]);
    const codes = new Uint8Array(sound.length);
    encodeMulaw(sound, 0, sound.length, codes);
    for (let at = 0; at < codes.length; at += 160) await caller.send(session.port, codes.subarray(at, at + 160));
    await caller.until(() => events.some(({ type }) => type === 'tone'));
  });
});
