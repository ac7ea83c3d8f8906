import { expect, test } from 'vitest';
import { type AudioFormat, bytesPerSample } from '../../../base/audio/audio-format.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import type { WorkerMediaService } from '../../../sip/media/main-thread/create-media-service.ts';
import type { MediaSession, MediaSessionOptions } from '../../../sip/media/media-service.ts';

/** A media session and the peer at its other end. */
export interface MediaRig {
  readonly mediaService: WorkerMediaService;
  readonly leg: MediaSession;
  readonly events: readonly MediaEvent[];
  readonly event: (type: MediaEvent['type']) => Promise<MediaEvent>;
  /** Every byte of audio that has come over the wire so far, in the leg's format. */
  readonly heard: () => Uint8Array;
  /** Resolves once `holds`, looked at with each packet or frame that comes. */
  readonly until: (holds: () => boolean) => Promise<void>;
  /** What the leg's listener shall get, said in packets or frames of 20 ms at their own pace. */
  readonly say: (audio: Uint8Array) => Promise<void>;
}

/** What holds of the `Media` port whatever its wire. `open` starts a leg whose frames flow. */
export function mediaContract(open: (changes?: Partial<MediaSessionOptions>) => Promise<MediaRig>): void {
  test('each sample is heard once and in order, and the marks say when', async () => {
    const { leg, heard, until, event } = await open();
    const audio = ramp(leg.audio.format, 500);
    leg.audio.play(0, 0, leg.audio.format, audio);
    leg.audio.endSegment(0, 0);
    await event('segment_ended');
    await until(() => voiced(leg.audio.format, heard()).length === audio.length);
    expect(Buffer.compare(voiced(leg.audio.format, heard()), audio)).toBe(0);
    expect(await event('segment_started')).toEqual({ type: 'segment_started', utterance: 0, segment: 0, playedMs: 0 });
    expect(await event('segment_ended')).toEqual({ type: 'segment_ended', utterance: 0, segment: 0, playedMs: 500 });
  });

  test('pause stops before the next frame, and resume goes on at the very sample', async () => {
    const { leg, heard, until, event } = await open();
    const audio = ramp(leg.audio.format, 1_000);
    const count = () => voiced(leg.audio.format, heard()).length;
    leg.audio.play(3, 0, leg.audio.format, audio);
    leg.audio.endSegment(3, 0);
    await until(() => count() >= bytesOf(leg.audio.format, 200));
    leg.audio.pause();
    const paused = await event('paused');
    if (paused.type !== 'paused') throw new Error('no pause');
    await until(() => count() === bytesOf(leg.audio.format, paused.playedMs));
    const before = heard().length;
    await until(() => heard().length >= before + bytesOf(leg.audio.format, 100));
    expect(count()).toBe(bytesOf(leg.audio.format, paused.playedMs));
    leg.audio.resume();
    await event('segment_ended');
    await until(() => count() === audio.length);
    expect(Buffer.compare(voiced(leg.audio.format, heard()), audio)).toBe(0);
  });

  test('clear cuts at a sample that is told exactly, and nothing of that utterance follows', async () => {
    const { leg, heard, until, event, events } = await open();
    const count = (value: number) => samplesOf(leg.audio.format, heard()).filter((sample) => sample === value).length;
    const perMs = leg.audio.format.sampleRateHz / 1_000;
    leg.audio.play(1, 0, leg.audio.format, constant(leg.audio.format, 1, 3_000));
    leg.audio.endSegment(1, 0);
    await until(() => count(1) >= 100 * perMs);
    leg.audio.clear(1);
    leg.audio.play(1, 1, leg.audio.format, constant(leg.audio.format, 1, 100));
    leg.audio.play(2, 0, leg.audio.format, constant(leg.audio.format, 2, 100));
    leg.audio.endSegment(2, 0);
    const cleared = await event('cleared');
    await event('segment_ended');
    await until(() => count(2) === 100 * perMs);
    const before = heard().length;
    await until(() => heard().length >= before + bytesOf(leg.audio.format, 60));
    expect(cleared).toEqual({ type: 'cleared', utterance: 1, playedMs: count(1) / perMs });
    const ends = events.filter(({ type }) => type === 'segment_ended');
    expect(ends).toEqual([{ type: 'segment_ended', utterance: 2, segment: 0, playedMs: 100 }]);
  });

  test('a full queue refuses, and tells when there is room', async () => {
    const { leg, event } = await open();
    const drained = new Promise<void>((resolve) => leg.audio.onDrained(resolve));
    expect(leg.audio.play(1, 0, leg.audio.format, new Uint8Array(67_000))).toBe(true);
    expect(leg.audio.play(1, 0, leg.audio.format, new Uint8Array(10))).toBe(false);
    leg.audio.clear(1);
    await event('cleared');
    await drained;
    expect(leg.audio.play(2, 0, leg.audio.format, new Uint8Array(10))).toBe(true);
  });

  test('what the caller says before anybody listens is kept, and what is said afterwards follows it', async () => {
    const { leg, say } = await open();
    const audio = ramp(leg.audio.format, 400);
    await say(audio.subarray(0, audio.length / 2));
    const got: Uint8Array[] = [];
    let bytes = 0;
    const whole = new Promise<void>((resolve) => {
      leg.audio.onAudio((format, piece) => {
        expect(format).toEqual(leg.audio.format);
        got.push(piece);
        bytes += piece.length;
        if (bytes >= audio.length) resolve();
      });
    });
    await say(audio.subarray(audio.length / 2));
    await whole;
    expect(Buffer.compare(Buffer.concat(got), audio)).toBe(0);
  });

  test('a caller of whom nothing comes is missed once', async () => {
    const { event, events, until, heard } = await open({ mediaTimeoutMs: 200 });
    await event('timeout');
    const before = heard().length;
    await until(() => heard().length > before * 2);
    expect(events.filter(({ type }) => type === 'timeout')).toHaveLength(1);
  });

  test('the next worker goes on with what the dead one had not played', async () => {
    const { mediaService, leg, heard, until, event } = await open();
    const audio = ramp(leg.audio.format, 600);
    leg.audio.play(0, 0, leg.audio.format, audio);
    leg.audio.endSegment(0, 0);
    await until(() => voiced(leg.audio.format, heard()).length >= bytesOf(leg.audio.format, 100));
    await mediaService.workers[0]?.kill();
    await event('segment_ended');
    await until(() => voiced(leg.audio.format, heard()).length >= bytesOf(leg.audio.format, 560));
    // A frame that left and was not counted yet is at most said twice.
    expect(voiced(leg.audio.format, heard()).length).toBeLessThanOrEqual(bytesOf(leg.audio.format, 620));
  });

  test('a leg that is closed tells nothing more, and takes what is said to it', async () => {
    const { leg, events } = await open();
    leg.close();
    leg.close();
    const eventCount = events.length;
    expect(leg.audio.play(0, 0, leg.audio.format, new Uint8Array(100))).toBe(true);
    leg.audio.endSegment(0, 0);
    leg.audio.clear(0);
    leg.audio.pause();
    await expect(leg.recorded).resolves.toMatchObject({ path: null });
    expect(events).toHaveLength(eventCount);
  });
}

function bytesOf(format: AudioFormat, ms: number): number {
  return Math.round((ms * format.sampleRateHz) / 1_000) * bytesPerSample(format);
}

function samplesOf({ encoding }: AudioFormat, bytes: Uint8Array): number[] {
  if (encoding !== 'linear16') return [...bytes];
  return [...new Int16Array(Uint8Array.from(bytes).buffer)];
}

function bytesOfSamples({ encoding }: AudioFormat, samples: readonly number[]): Uint8Array {
  return encoding === 'linear16' ? new Uint8Array(Int16Array.from(samples).buffer) : Uint8Array.from(samples);
}

/** No sample of it is silence, and any two within a frame differ. */
function ramp(format: AudioFormat, ms: number): Uint8Array {
  const length = (ms * format.sampleRateHz) / 1_000;
  const period = format.encoding === 'linear16' ? 8_000 : 200;
  return bytesOfSamples(
    format,
    Array.from({ length }, (_, i) => (format.encoding === 'linear16' ? 1 : 0) + (i % period)),
  );
}

function constant(format: AudioFormat, value: number, ms: number): Uint8Array {
  return bytesOfSamples(
    format,
    Array.from({ length: (ms * format.sampleRateHz) / 1_000 }, () => value),
  );
}

/** What is not silence. */
function voiced(format: AudioFormat, bytes: Uint8Array): Uint8Array {
  const silence = { linear16: 0, mulaw: 0xff, alaw: 0xd5 }[format.encoding];
  return bytesOfSamples(
    format,
    samplesOf(format, bytes).filter((sample) => sample !== silence),
  );
}
