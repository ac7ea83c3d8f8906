import { describe, expect, it } from 'vitest';
import type { MediaEvent } from '../../../../engine/ports/media.ts';
import { atLevel, syntheticSpeech } from '../../../../fixtures/sound/recorded-speech.ts';
import { joined, silence, tone } from '../../../../fixtures/sound/synthesis.ts';
import { AudioEventDetector } from '../../../../sip/media/detection/audio-event-detector.ts';
import { PlayedAudio } from '../../../../sip/media/detection/echo/played-audio.ts';
import { createSessionMemory } from '../../../../sip/media/worker-channel/session-memory.ts';

const FRAME_SAMPLES = 160;
const SAMPLES_PER_MS = 8;
const BEEP = joined([silence(500), tone([1_000], 400), silence(1_000)]);

/** A detector to which every loud frame is voice, and what it reports. */
function detectorOn(memory = createSessionMemory()) {
  const events: MediaEvent[] = [];
  let freed = 0;
  const classifier = { voiced: () => true, reset: () => undefined, free: () => void freed++ };
  const played = new PlayedAudio();
  const detector = new AudioEventDetector({ memory, classifier, played, emit: (event) => events.push(event) });
  const hear = (samples: Int16Array) => {
    for (let at = 0; at < samples.length; at += FRAME_SAMPLES) {
      const frame = samples.subarray(at, at + FRAME_SAMPLES);
      detector.writeTones(frame, frame.length);
      detector.writeSpeech(frame, frame.length);
    }
  };
  return { detector, events, hear, memory, played, freed: () => freed };
}

const typesOf = (events: readonly MediaEvent[], ...types: readonly MediaEvent['type'][]) =>
  events.filter(({ type }) => types.includes(type)).map(({ type }) => type);

describe('the events of the peer’s audio', () => {
  it('contain tones only while they are wanted, at their time of the call', () => {
    const { detector, events, hear } = detectorOn();
    hear(BEEP);
    expect(typesOf(events, 'tone')).toEqual([]);
    detector.listenForTones(true);
    hear(BEEP);
    detector.listenForTones(true);
    const [found, ...others] = events.filter((event) => event.type === 'tone');
    expect(others).toEqual([]);
    const beepMs = BEEP.length / SAMPLES_PER_MS + 500;
    expect(Math.abs((found?.startMs ?? 0) - beepMs)).toBeLessThanOrEqual(15);
    detector.listenForTones(false);
    hear(BEEP);
    expect(typesOf(events, 'tone')).toHaveLength(1);
  });

  it('end the current speech and the current tone once the packets stop', () => {
    const { detector, events, hear } = detectorOn();
    detector.listenForTones(true);
    hear(joined([silence(500), tone([1_000], 400)]));
    expect(typesOf(events, 'speech_started', 'speech_stopped', 'tone')).toEqual(['speech_started']);
    detector.interrupt();
    expect(typesOf(events, 'speech_started', 'speech_stopped', 'tone')).toEqual([
      'speech_started',
      'speech_stopped',
      'tone',
    ]);
  });

  it('go on in the next worker: the speech ends once, at its time of the call', () => {
    const first = detectorOn();
    first.hear(joined([silence(500), tone([1_000], 400)]));
    const second = detectorOn(first.memory);
    second.hear(silence(1_000));
    expect(typesOf(second.events, 'speech_started', 'speech_stopped')).toEqual(['speech_stopped']);
    expect(second.events).toMatchObject([{ audioMs: 900 }]);
    const third = detectorOn(first.memory);
    third.hear(silence(1_000));
    expect(third.events).toEqual([]);
  });

  it('contain a tone during which tones are requested again', () => {
    const { detector, events, hear } = detectorOn();
    detector.listenForTones(true);
    hear(joined([silence(500), tone([1_000], 400)]));
    detector.listenForTones(true);
    hear(silence(1_000));
    expect(typesOf(events, 'tone')).toEqual(['tone']);
  });

  it('end the current speech once the packets stop, also while tones are not requested', () => {
    const { detector, events, hear } = detectorOn();
    hear(tone([1_000], 400));
    detector.interrupt();
    expect(typesOf(events, 'speech_started', 'speech_stopped')).toEqual(['speech_started', 'speech_stopped']);
  });

  it('tell how long the peer has been silent, and whether it certainly speaks', () => {
    const { detector, hear } = detectorOn();
    hear(tone([1_000], 400));
    expect([detector.silentMs, detector.isNearEnd]).toEqual([0, true]);
    hear(silence(1_000));
    expect([detector.silentMs, detector.isNearEnd]).toEqual([1_000, false]);
  });

  describe.each([
    {
      gap: 'whose end is known',
      resume: (detector: AudioEventDetector, samples: number) => detector.skipSpeech(samples),
    },
    { gap: 'between two streams', resume: (detector: AudioEventDetector) => detector.restart() },
  ])('before and after a gap $gap', ({ resume }) => {
    it('contain the echo of the agent once, with its delay', () => {
      const { detector, events, played } = detectorOn();
      const speech = atLevel(syntheticSpeech('address-woman'), -20);
      const frameAt = (frame: number) => speech.slice(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES);
      const delayFrames = 10;
      const gapFrames = 60;
      const gapFrame = 100;
      for (let frame = 0; frame < 300; frame++) {
        played.agent(frameAt(frame), FRAME_SAMPLES);
        if (frame >= gapFrame && frame < gapFrame + gapFrames) continue;
        if (frame === gapFrame + gapFrames) resume(detector, gapFrames * FRAME_SAMPLES);
        const echo = frameAt(frame - delayFrames).map((sample) => sample / 5);
        detector.writeSpeech(frame < delayFrames ? silence(20) : echo, FRAME_SAMPLES);
      }
      expect(events.filter(({ type }) => type === 'echo_learnt')).toEqual([
        { type: 'echo_learnt', delayMs: delayFrames * 20 },
      ]);
      const learntAt = events.findIndex(({ type }) => type === 'echo_learnt');
      expect(typesOf(events.slice(learntAt), 'speech_started')).toEqual([]);
    });
  });

  it('free the classifier at the end', () => {
    const { detector, freed } = detectorOn();
    detector.free();
    expect(freed()).toBe(1);
  });
});
