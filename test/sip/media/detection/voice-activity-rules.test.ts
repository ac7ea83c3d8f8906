import { describe, expect, it } from 'vitest';
import { SPEECH_STOP_LATENESS_MS } from '../../../../engine/ports/media.ts';
import { type VoiceActivity, VoiceActivityDetector } from '../../../../sip/media/detection/voice-activity.ts';
import { VoiceActivityCall as Call, FRAME_MS, FRAME_SAMPLES, LOUD, wave } from './voice-activity-call.ts';

/** Speech starts with this many voiced frames. */
const START_FRAMES = 3;
const HANGOVER_FRAMES = SPEECH_STOP_LATENESS_MS / FRAME_MS;
/** No echo is left this long after the agent's last sound: the longest lag, and the reverberation. */
const ECHO_OVER_FRAMES = 58;
/** Amplitude of −50 dBFS. */
const GATE = 32_768 * 10 ** (-50 / 20);

describe('voice', () => {
  it('has −50 dBFS', () => {
    expect(new Call().voice(20, Math.floor(GATE)).edges()).toEqual([]);
    expect(new Call().voice(20, Math.ceil(GATE)).edges()).toEqual([['speech_started', 0]]);
  });

  it('starts speech after 60 ms in a row', () => {
    const call = new Call().voice(START_FRAMES - 1).silence(1);
    expect(call.voice(START_FRAMES - 1).edges()).toEqual([]);
    expect(call.voice(1).edges()).toEqual([['speech_started', START_FRAMES * FRAME_MS]]);
  });

  it('stops speech after 200 ms without it', () => {
    const call = new Call().voice(20).silence(HANGOVER_FRAMES - 1);
    expect(call.edges()).toHaveLength(1);
    expect(call.silence(1).edges()).toEqual([['speech_stopped', 20 * FRAME_MS]]);
    expect(call.silence(5 * HANGOVER_FRAMES).edges()).toEqual([]);
  });

  it('ends the time without voice', () => {
    const call = new Call();
    expect(call.detector.silentMs).toBe(0);
    expect(call.silence(7).detector.silentMs).toBe(7 * FRAME_MS);
    expect(call.voice(1).detector.silentMs).toBe(0);
  });

  it('of the first samples of a longer packet counts alone', () => {
    const call = new Call();
    const packet = new Int16Array(FRAME_SAMPLES).fill(LOUD);
    for (let at = 0; at < 2 * START_FRAMES; at++) {
      call.detector.write(packet, FRAME_SAMPLES / 2, (event) => call.events.push(event));
      expect(call.edges()).toHaveLength(at === 2 * START_FRAMES - 1 ? 1 : 0);
    }
    const silent = new Int16Array(2 * FRAME_SAMPLES).fill(32_000, FRAME_SAMPLES);
    call.detector.write(silent, FRAME_SAMPLES, (event) => call.events.push(event));
    expect(call.detector.silentMs).toBe(FRAME_MS);
  });
});

describe('a detector that continues another one', () => {
  const resumed = (samples: number, speaking: boolean) => {
    const events: VoiceActivity[] = [];
    const classifier = { voiced: () => true, reset: () => undefined, free: () => undefined };
    const detector = new VoiceActivityDetector(classifier, { samples, speaking });
    const write = (packet: Int16Array) => detector.write(packet, packet.length, (event) => events.push(event));
    return { detector, events, write };
  };

  it('continues in the middle of a frame', () => {
    const { events, write } = resumed(10.5 * FRAME_SAMPLES, false);
    write(wave(LOUD).subarray(0, FRAME_SAMPLES / 2));
    for (let at = 0; at < START_FRAMES - 1; at++) write(wave(LOUD));
    expect(events).toEqual([{ type: 'speech_started', audioMs: 10 * FRAME_MS }]);
  });

  it('continues speech without another start', () => {
    const { detector, events, write } = resumed(10 * FRAME_SAMPLES, true);
    expect(detector.isNearEnd).toBe(false);
    for (let at = 0; at < START_FRAMES; at++) write(wave(LOUD));
    expect(events).toEqual([]);
    expect(detector.isNearEnd).toBe(true);
  });
});

describe('lasting speech', () => {
  it('has voice in half of its frames', () => {
    const gapped = (gap: number) =>
      new Call()
        .voice(START_FRAMES)
        .silence(gap)
        .voice(10 - START_FRAMES - gap);
    expect(gapped(5).lasted()).toEqual([[200, 0]]);
    expect(gapped(6).lasted()).toEqual([]);
  });

  it('counts again from the start of the next speech', () => {
    const call = new Call().voice(50).silence(HANGOVER_FRAMES);
    expect(call.lasted().map(([lastedMs]) => lastedMs)).toEqual([200, 500, 800]);
    const sinceMs = call.nowMs;
    expect(call.voice(9).lasted()).toEqual([]);
    expect(call.voice(1).lasted()).toEqual([[200, sinceMs]]);
  });

  it('counts from its first voice, not from a click before', () => {
    const call = new Call().voice(1).silence(HANGOVER_FRAMES);
    const sinceMs = call.nowMs;
    expect(call.voice(10).lasted()).toEqual([[200, sinceMs]]);
  });

  it('is that of the peer alone: sound that may be an echo does not count', () => {
    const call = new Call({ echo: true }).agent(true).voice(10);
    expect(call.detector.isNearEnd).toBe(false);
    expect(call.events.map(({ type }) => type)).toEqual(['speech_started']);
    call.agent(false).voice(ECHO_OVER_FRAMES);
    expect(call.detector.isNearEnd).toBe(false);
    const sinceMs = call.nowMs;
    expect(call.voice(1).detector.isNearEnd).toBe(true);
    expect(call.voice(8).lasted()).toEqual([]);
    expect(call.voice(1).lasted()).toEqual([[200, sinceMs]]);
  });
});

describe('a pause of the stream', () => {
  it('ends the current speech at its last voice', () => {
    const call = new Call().voice(20).silence(4).interrupt();
    expect(call.edges()).toEqual([
      ['speech_started', 0],
      ['speech_stopped', 20 * FRAME_MS],
    ]);
    expect(call.detector.isNearEnd).toBe(false);
    expect(call.resets).toBe(1);
    expect(call.interrupt().edges()).toEqual([]);
    expect(call.resets).toBe(1);
  });

  it('ends voice that is too short for speech', () => {
    const call = new Call().voice(START_FRAMES - 1).interrupt();
    expect(call.resets).toBe(1);
    const sinceMs = call.nowMs;
    expect(call.voice(START_FRAMES).edges()).toEqual([['speech_started', sinceMs]]);
    expect(call.voice(6).lasted()).toEqual([]);
    expect(call.voice(1).lasted()).toEqual([[200, sinceMs]]);
  });
});
