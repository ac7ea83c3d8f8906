import { expect, it } from 'vitest';
import { type AudioFormat, bytesPerSample } from '../../../base/audio/audio-format.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import type { WorkerMediaService } from '../../../sip/media/main-thread/create-media-service.ts';
import type { MediaSession, MediaSessionOptions } from '../../../sip/media/media-service.ts';
import { terminateThread } from '../../worker-threads.ts';

/** A media session and the peer at its other end. */
export interface MediaRig {
  readonly mediaService: WorkerMediaService;
  readonly session: MediaSession;
  readonly events: readonly MediaEvent[];
  readonly event: (type: MediaEvent['type']) => Promise<MediaEvent>;
  /** All audio that the peer has received so far, in the session's format. */
  readonly heard: () => Uint8Array;
  /** Resolves once `holds` returns true. Checked with each packet or frame that the peer receives. */
  readonly until: (holds: () => boolean) => Promise<void>;
  /** Sends audio to the session, in packets or frames of 20 ms. */
  readonly say: (audio: Uint8Array) => Promise<void>;
}

/** The contract of the `Media` port over any transport. `open` opens a session that sends and receives frames. */
export function mediaContract(open: (changes?: Partial<MediaSessionOptions>) => Promise<MediaRig>): void {
  it('plays each sample once and in order, and reports the start and end of the segment', async () => {
    const { session, heard, until, event } = await open();
    const audio = ramp(session.audio.format, 500);
    session.audio.play(0, 0, session.audio.format, audio);
    session.audio.endSegment(0, 0);
    await event('segment_ended');
    await until(() => voiced(session.audio.format, heard()).length === audio.length);
    expect(Buffer.compare(voiced(session.audio.format, heard()), audio)).toBe(0);
    expect(await event('segment_started')).toEqual({ type: 'segment_started', utterance: 0, segment: 0, playedMs: 0 });
    expect(await event('segment_ended')).toEqual({ type: 'segment_ended', utterance: 0, segment: 0, playedMs: 500 });
  });

  it('pauses before the next frame, and resumes where it reports', async () => {
    const { session, heard, until, event } = await open();
    const audio = ramp(session.audio.format, 1_000);
    const count = () => voiced(session.audio.format, heard()).length;
    session.audio.play(3, 0, session.audio.format, audio);
    session.audio.endSegment(3, 0);
    await until(() => count() >= bytesOf(session.audio.format, 200));
    session.audio.pause();
    const paused = await event('paused');
    if (paused.type !== 'paused') throw new Error('no pause');
    await until(() => count() === bytesOf(session.audio.format, paused.playedMs));
    const before = heard().length;
    await until(() => heard().length >= before + bytesOf(session.audio.format, 100));
    expect(count()).toBe(bytesOf(session.audio.format, paused.playedMs));
    session.audio.resume();
    const resumed = await event('resumed');
    if (resumed.type !== 'resumed') throw new Error('no resumption');
    const pausedAt = bytesOf(session.audio.format, paused.playedMs);
    const replayed = bytesOf(session.audio.format, resumed.replayedMs);
    expect(await event('segment_ended')).toMatchObject({ playedMs: 1_000 });
    await until(() => count() === audio.length + replayed);
    const expected = Buffer.concat([audio.subarray(0, pausedAt), audio.subarray(pausedAt - replayed)]);
    expect(Buffer.compare(voiced(session.audio.format, heard()), expected)).toBe(0);
  });

  it('clear reports the exact playback position, and plays nothing more of that utterance', async () => {
    const { session, heard, until, event, events } = await open();
    const count = (value: number) =>
      samplesOf(session.audio.format, heard()).filter((sample) => sample === value).length;
    const perMs = session.audio.format.sampleRateHz / 1_000;
    session.audio.play(1, 0, session.audio.format, constant(session.audio.format, 1, 3_000));
    session.audio.endSegment(1, 0);
    await until(() => count(1) >= 100 * perMs);
    session.audio.clear(1);
    session.audio.play(1, 1, session.audio.format, constant(session.audio.format, 1, 100));
    session.audio.play(2, 0, session.audio.format, constant(session.audio.format, 2, 100));
    session.audio.endSegment(2, 0);
    const cleared = await event('cleared');
    await event('segment_ended');
    await until(() => count(2) === 100 * perMs);
    const before = heard().length;
    await until(() => heard().length >= before + bytesOf(session.audio.format, 60));
    expect(cleared).toEqual({ type: 'cleared', utterance: 1, playedMs: count(1) / perMs });
    const ends = events.filter(({ type }) => type === 'segment_ended');
    expect(ends).toEqual([{ type: 'segment_ended', utterance: 2, segment: 0, playedMs: 100 }]);
  });

  it('a full queue refuses audio, and reports when it has space again', async () => {
    const { session, event } = await open();
    const drained = new Promise<void>((resolve) => session.audio.onDrained(resolve));
    expect(session.audio.play(1, 0, session.audio.format, new Uint8Array(67_000))).toBe(true);
    expect(session.audio.play(1, 0, session.audio.format, new Uint8Array(10))).toBe(false);
    session.audio.clear(1);
    await event('cleared');
    await drained;
    expect(session.audio.play(2, 0, session.audio.format, new Uint8Array(10))).toBe(true);
  });

  it('keeps the peer’s audio for the first listener, and passes later audio after it', async () => {
    const { session, say } = await open();
    const audio = ramp(session.audio.format, 400);
    await say(audio.subarray(0, audio.length / 2));
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    const whole = new Promise<void>((resolve) => {
      session.audio.onAudio((format, piece) => {
        expect(format).toEqual(session.audio.format);
        pieces.push(piece);
        bytes += piece.length;
        if (bytes >= audio.length) resolve();
      });
    });
    await say(audio.subarray(audio.length / 2));
    await whole;
    expect(Buffer.compare(Buffer.concat(pieces), audio)).toBe(0);
  });

  it('emits one timeout if the peer sends nothing', async () => {
    const { event, events, until, heard } = await open({ mediaTimeoutMs: 200 });
    await event('timeout');
    const before = heard().length;
    await until(() => heard().length > before * 2);
    expect(events.filter(({ type }) => type === 'timeout')).toHaveLength(1);
  });

  it('the next worker plays the audio that the exited one had not played', async () => {
    const { mediaService, session, heard, until, event } = await open();
    const audio = ramp(session.audio.format, 600);
    session.audio.play(0, 0, session.audio.format, audio);
    session.audio.endSegment(0, 0);
    await until(() => voiced(session.audio.format, heard()).length >= bytesOf(session.audio.format, 100));
    await terminateThread(mediaService.workers[0]?.threadId);
    await event('segment_ended');
    await until(() => voiced(session.audio.format, heard()).length >= bytesOf(session.audio.format, 560));
    // A frame that was sent but not yet counted may be sent twice.
    expect(voiced(session.audio.format, heard()).length).toBeLessThanOrEqual(bytesOf(session.audio.format, 620));
  });

  it('a closed session emits nothing more, and accepts all calls', async () => {
    const { session, events } = await open();
    session.close();
    session.close();
    const eventCount = events.length;
    expect(session.audio.play(0, 0, session.audio.format, new Uint8Array(100))).toBe(true);
    session.audio.endSegment(0, 0);
    session.audio.clear(0);
    session.audio.pause();
    await expect(session.recorded).resolves.toMatchObject({ path: null });
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

/** Audio without a silent sample, in which all samples of a frame differ. */
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

/** The audio without its silent samples. */
function voiced(format: AudioFormat, bytes: Uint8Array): Uint8Array {
  const silence = { linear16: 0, mulaw: 0xff, alaw: 0xd5 }[format.encoding];
  return bytesOfSamples(
    format,
    samplesOf(format, bytes).filter((sample) => sample !== silence),
  );
}
