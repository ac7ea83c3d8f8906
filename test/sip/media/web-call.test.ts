import { describe, expect, test } from 'vitest';
import { makeTone, measureTone } from '../../rtp-peer/tone.ts';
import { mediaContract } from './media-contract.ts';
import { mediaHarness } from './media-harness.ts';

/** No port is ever taken. */
const { webCall } = mediaHarness(39000);
const RATE_HZ = 16_000;
/** What the line holds of frames of 20 ms with their headers. */
const LINE_FRAMES_MAX = 25;

describe('the media of a web call', () => {
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

  test('a browser that takes nothing makes the agent wait, and loses nothing', async () => {
    const { leg, browser, event, events } = await webCall();
    await browser.until(() => browser.frames.length > 0);
    browser.takes = false;
    leg.audio.play(0, 0, leg.audio.format, constant(7, 1_000));
    leg.audio.endSegment(0, 0);
    await event('segment_started');
    const taken = browser.frames.length;
    // A second of ticks passes beside it.
    const clock = await webCall();
    await clock.browser.until(() => clock.browser.frames.length >= 50);
    expect(events.some(({ type }) => type === 'segment_ended')).toBe(false);
    expect(browser.frames).toHaveLength(taken);
    browser.takes = true;
    browser.pump();
    expect(browser.frames.length - taken).toBeLessThanOrEqual(LINE_FRAMES_MAX);
    await event('segment_ended');
    await browser.until(() => samples(browser.heard()).filter((sample) => sample === 7).length === RATE_HZ);
  });

  test('audio in flight at a clear does not count as heard: the position is that of the frames taken', async () => {
    const { leg, browser, event } = await webCall();
    leg.audio.play(1, 0, leg.audio.format, constant(1, 2_000));
    await browser.until(() => samples(browser.heard()).some((sample) => sample === 1));
    browser.takes = false;
    const clock = await webCall();
    await clock.browser.until(() => clock.browser.frames.length >= 10);
    leg.audio.clear(1);
    leg.audio.play(2, 0, leg.audio.format, constant(2, 200));
    leg.audio.endSegment(2, 0);
    // Told before anything else can be taken.
    expect(browser.clears).toEqual([browser.frames.length]);
    browser.takes = true;
    browser.pump();
    const cleared = await event('cleared');
    await event('segment_ended');
    await browser.until(() => samples(browser.heard()).filter((sample) => sample === 2).length === RATE_HZ / 5);
    const heard = samples(browser.heard()).filter((sample) => sample === 1).length;
    expect(cleared).toEqual({ type: 'cleared', utterance: 1, playedMs: heard / 16 });
  });

  test('without a connection playback pauses, and resumes where it stopped', async () => {
    const { leg, browser, event, events } = await webCall({ mediaTimeoutMs: 300 });
    leg.channel.connected = false;
    leg.audio.play(0, 0, leg.audio.format, constant(3, 200));
    leg.audio.endSegment(0, 0);
    const clock = await webCall();
    await clock.browser.until(() => clock.browser.frames.length >= 25);
    expect(events).toEqual([]);
    leg.channel.connected = true;
    await event('segment_ended');
    await event('timeout');
    await browser.until(() => samples(browser.heard()).filter((sample) => sample === 3).length === RATE_HZ / 5);
  });

  test('a flood of the caller’s frames costs its oldest, and the newest comes through', async () => {
    const { leg, browser } = await webCall();
    let last = 0;
    leg.audio.onAudio((_, audio) => {
      last = samples(audio).at(-1) ?? 0;
    });
    for (let value = 1; value <= 1_000; value++) leg.channel.write(constant(value, 20));
    await browser.until(() => last === 1_000);
  });

  test('a voice of another rate is brought to that of the line', async () => {
    const { leg, browser, event } = await webCall();
    const tone = makeTone(440, 600, 4_000, 24_000);
    leg.audio.play(0, 0, { encoding: 'linear16', sampleRateHz: 24_000 }, new Uint8Array(tone.buffer));
    leg.audio.endSegment(0, 0);
    await event('segment_ended');
    const heard = samples(browser.heard());
    const start = heard.findIndex((sample) => sample !== 0);
    expect(measureTone(heard.subarray(start + 1_600, start + 8_000), 440, RATE_HZ).share).toBeGreaterThan(0.99);
  });

  test('the caller’s speech is told as it begins and ends, also where it just stops coming', async () => {
    const { leg, browser, event } = await webCall();
    const voice = new Int16Array(RATE_HZ / 2);
    // Buzzes as a voice does: many harmonics of 150 Hz.
    for (let i = 0; i < voice.length; i++) voice[i] = ((i % 107) - 53) * 150;
    void browser.say(new Uint8Array(voice.buffer));
    await event('speech_started');
    await event('speech_stopped');
    leg.close();
  });
});
