import { describe, expect, it } from 'vitest';
import { makeTone, measureTone } from '../../rtp-peer/tone.ts';
import { mediaContract } from './media-contract.ts';
import { mediaHarness } from './media-harness.ts';

/** Web calls use no port of this range. */
const { webCall } = mediaHarness(14_500);
const RATE_HZ = 16_000;
/** Frames of 20 ms, with their headers, that fit into the channel. */
const CHANNEL_FRAMES_MAX = 25;

describe('media of a web call', () => {
  mediaContract(async (changes) => {
    const { browser, ...rig } = await webCall(changes);
    return {
      ...rig,
      heard: () => browser.heard(),
      until: (holds) => browser.until(holds),
      say: (audio) => browser.say(audio),
    };
  });

  const constant = (value: number, ms: number) =>
    new Uint8Array(new Int16Array((ms * RATE_HZ) / 1_000).fill(value).buffer);
  const samples = (bytes: Uint8Array) => new Int16Array(Uint8Array.from(bytes).buffer);

  it('makes the agent wait for a slow browser, and loses no audio', async () => {
    const { session, browser, event, events } = await webCall();
    await browser.until(() => browser.frames.length > 0);
    browser.readsFrames = false;
    session.audio.play(0, 0, session.audio.format, constant(7, 1_000));
    session.audio.endSegment(0, 0);
    await event('segment_started');
    const framesBefore = browser.frames.length;
    // A second call counts one second of ticks.
    const clock = await webCall();
    await clock.browser.until(() => clock.browser.frames.length >= 50);
    expect(events.some(({ type }) => type === 'segment_ended')).toBe(false);
    expect(browser.frames).toHaveLength(framesBefore);
    browser.readsFrames = true;
    browser.pump();
    expect(browser.frames.length - framesBefore).toBeLessThanOrEqual(CHANNEL_FRAMES_MAX);
    await event('segment_ended');
    await browser.until(() => samples(browser.heard()).filter((sample) => sample === 7).length === RATE_HZ);
  });

  it('reports a playback position without the audio that was still in the channel at the clear', async () => {
    const { session, browser, event } = await webCall();
    session.audio.play(1, 0, session.audio.format, constant(1, 2_000));
    await browser.until(() => samples(browser.heard()).some((sample) => sample === 1));
    browser.readsFrames = false;
    const clock = await webCall();
    await clock.browser.until(() => clock.browser.frames.length >= 10);
    session.audio.clear(1);
    session.audio.play(2, 0, session.audio.format, constant(2, 200));
    session.audio.endSegment(2, 0);
    // The browser is notified before it can read another frame.
    expect(browser.clears).toEqual([browser.frames.length]);
    browser.readsFrames = true;
    browser.pump();
    const cleared = await event('cleared');
    await event('segment_ended');
    await browser.until(() => samples(browser.heard()).filter((sample) => sample === 2).length === RATE_HZ / 5);
    const heard = samples(browser.heard()).filter((sample) => sample === 1).length;
    expect(cleared).toEqual({ type: 'cleared', utterance: 1, playedMs: heard / 16 });
  });

  it('pauses playback without a connection, and resumes where it stopped', async () => {
    const { session, browser, event, events } = await webCall({ mediaTimeoutMs: 300 });
    session.channel.connected = false;
    session.audio.play(0, 0, session.audio.format, constant(3, 200));
    session.audio.endSegment(0, 0);
    const clock = await webCall();
    await clock.browser.until(() => clock.browser.frames.length >= 25);
    expect(events).toEqual([]);
    session.channel.connected = true;
    await event('segment_ended');
    await event('timeout');
    await browser.until(() => samples(browser.heard()).filter((sample) => sample === 3).length === RATE_HZ / 5);
  });

  it('hears the newest frame of the user after more than the channel holds', async () => {
    const { session, browser } = await webCall();
    let last = 0;
    session.audio.onAudio((_, audio) => {
      last = samples(audio).at(-1) ?? 0;
    });
    for (let value = 1; value <= 1_000; value++) session.channel.write(constant(value, 20));
    await browser.until(() => last === 1_000);
  });

  it('resamples a voice of another rate', async () => {
    const { session, browser, event } = await webCall();
    const tone = makeTone(440, 600, 4_000, 24_000);
    session.audio.play(0, 0, { encoding: 'linear16', sampleRateHz: 24_000 }, new Uint8Array(tone.buffer));
    session.audio.endSegment(0, 0);
    await event('segment_ended');
    const heard = samples(browser.heard());
    const start = heard.findIndex((sample) => sample !== 0);
    expect(measureTone(heard.subarray(start + 1_600, start + 8_000), 440, RATE_HZ).share).toBeGreaterThan(0.99);
  });

  it('emits start and end of the user’s speech, even if the frames stop within it', async () => {
    const { session, browser, event } = await webCall();
    const voice = new Int16Array(RATE_HZ / 2);
    // Like a voice: many harmonics of 150 Hz.
    for (let i = 0; i < voice.length; i++) voice[i] = ((i % 107) - 53) * 150;
    void browser.say(new Uint8Array(voice.buffer));
    await event('speech_started');
    await event('speech_stopped');
    session.close();
  });
});
