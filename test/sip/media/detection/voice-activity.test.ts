import { beforeAll, describe, expect, test } from 'vitest';
import {
  loadVoiceClassifiers,
  type VoiceActivity,
  VoiceActivityDetector,
  type VoiceClassifier,
} from '../../../../sip/media/detection/voice-activity.ts';

const FRAME = 160;
let createClassifier: () => VoiceClassifier;

beforeAll(async () => {
  createClassifier = await loadVoiceClassifiers();
});

/** A classifier that the test decides, and that counts how often it is asked. */
function scripted(voiced = true) {
  const state = { voiced, asked: 0 };
  const classifier: VoiceClassifier = {
    voiced: () => {
      state.asked++;
      return state.voiced;
    },
    reset: () => undefined,
    free: () => undefined,
  };
  return { state, classifier };
}

function level(amplitude: number, frames: number): Int16Array {
  return Int16Array.from({ length: frames * FRAME }, (_, i) => (i % 2 === 0 ? amplitude : -amplitude));
}

function run(detector: VoiceActivityDetector, ...parts: Int16Array[]): VoiceActivity[] {
  const events: VoiceActivity[] = [];
  for (const part of parts) detector.write(part, part.length, (event) => events.push(event));
  return events;
}

describe('voice activity', () => {
  test('what is under the gate never reaches the classifier', () => {
    const { state, classifier } = scripted();
    expect(run(new VoiceActivityDetector(classifier), level(50, 100))).toEqual([]);
    expect(state.asked).toBe(0);
  });

  test('starts where the voice did and stops where it ended, told after the hangover', () => {
    const { classifier } = scripted();
    const events = run(new VoiceActivityDetector(classifier), level(10, 10), level(3000, 20), level(10, 30));
    expect(events).toEqual([
      { type: 'speech_started', audioMs: 200 },
      { type: 'speech_stopped', audioMs: 600 },
    ]);
  });

  test('a click of 40 ms is no speech, and a pause of 180 ms does not end it', () => {
    const { classifier } = scripted();
    const detector = new VoiceActivityDetector(classifier);
    expect(run(detector, level(3000, 2), level(10, 20))).toEqual([]);
    const events = run(detector, level(3000, 5), level(10, 9), level(3000, 5), level(10, 9));
    expect(events).toEqual([{ type: 'speech_started', audioMs: 440 }]);
  });

  test('loud noise that the classifier does not take for voice is no speech', () => {
    const { state, classifier } = scripted(false);
    expect(run(new VoiceActivityDetector(classifier), level(8000, 50))).toEqual([]);
    expect(state.asked).toBe(50);
  });

  test('counts audio and not packets: pieces of any length give the same events', () => {
    const audio = Int16Array.from([...level(10, 10), ...level(3000, 20), ...level(10, 30)]);
    const pieces = Array.from({ length: Math.ceil(audio.length / 77) }, (_, i) => audio.slice(i * 77, (i + 1) * 77));
    expect(run(new VoiceActivityDetector(scripted().classifier), ...pieces)).toEqual([
      { type: 'speech_started', audioMs: 200 },
      { type: 'speech_stopped', audioMs: 600 },
    ]);
  });

  test('a stream that pauses ends the speech in it, once', () => {
    const detector = new VoiceActivityDetector(scripted().classifier);
    run(detector, level(3000, 10));
    const events: VoiceActivity[] = [];
    detector.interrupt((event) => events.push(event));
    detector.interrupt((event) => events.push(event));
    expect(events).toEqual([{ type: 'speech_stopped', audioMs: 200 }]);
  });

  test('a successor goes on counting where the last one stopped', () => {
    const detector = new VoiceActivityDetector(scripted().classifier, { samples: 8000, speaking: true });
    expect(run(detector, level(10, 10))).toEqual([{ type: 'speech_stopped', audioMs: 1000 }]);
  });

  test('libfvad hears a voiced sound and neither silence nor a hum under the gate', () => {
    const detector = new VoiceActivityDetector(createClassifier());
    expect(run(detector, level(0, 20), level(40, 20))).toEqual([]);
    const events = run(detector, vowel(50));
    expect(events[0]).toMatchObject({ type: 'speech_started' });
    detector.free();
  });
});

/** Pulses of a 120 Hz voice through two resonances, as in «a». */
function vowel(frames: number): Int16Array {
  const resonances = [
    { hz: 700, one: 0, two: 0 },
    { hz: 1200, one: 0, two: 0 },
  ];
  return Int16Array.from({ length: frames * FRAME }, (_, i) => {
    let value = i % 67 === 0 ? 4000 : 0;
    for (const resonance of resonances) {
      const next = value + 1.9 * Math.cos((2 * Math.PI * resonance.hz) / 8000) * resonance.one - 0.9025 * resonance.two;
      resonance.two = resonance.one;
      resonance.one = next;
      value = next;
    }
    return Math.max(-32_000, Math.min(32_000, value));
  });
}
