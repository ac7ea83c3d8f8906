import { beforeAll, describe, expect, it } from 'vitest';
import { noise, tone } from '../../../../fixtures/sound/synthesis.ts';
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

/** A classifier that returns `state.voiced` and counts its calls. */
function scriptedClassifier(voiced = true) {
  const state = { voiced, calls: 0 };
  const classifier: VoiceClassifier = {
    voiced: () => {
      state.calls++;
      return state.voiced;
    },
    reset: () => undefined,
    free: () => undefined,
  };
  return { state, classifier };
}

/** The events without `speech_lasted`. */
function edgesOf(events: readonly VoiceActivity[]): readonly VoiceActivity[] {
  return events.filter(({ type }) => type !== 'speech_lasted');
}

function squareWave(amplitude: number, frames: number): Int16Array {
  return Int16Array.from({ length: frames * FRAME }, (_, i) => (i % 2 === 0 ? amplitude : -amplitude));
}

function run(detector: VoiceActivityDetector, ...parts: Int16Array[]): VoiceActivity[] {
  const events: VoiceActivity[] = [];
  for (const part of parts) detector.write(part, part.length, (event) => events.push(event));
  return events;
}

describe('voice activity', () => {
  it('does not pass audio below the energy gate to the classifier', () => {
    const { state, classifier } = scriptedClassifier();
    expect(run(new VoiceActivityDetector(classifier), squareWave(50, 100))).toEqual([]);
    expect(state.calls).toBe(0);
  });

  it('reports the times at which the voice started and stopped, after the hangover', () => {
    const { classifier } = scriptedClassifier();
    const events = run(
      new VoiceActivityDetector(classifier),
      squareWave(10, 10),
      squareWave(3000, 20),
      squareWave(10, 30),
    );
    expect(edgesOf(events)).toEqual([
      { type: 'speech_started', audioMs: 200 },
      { type: 'speech_stopped', audioMs: 600 },
    ]);
  });

  it('is certainly no echo while the agent is silent', () => {
    const { classifier } = scriptedClassifier();
    const detector = new VoiceActivityDetector(classifier);
    run(detector, squareWave(10, 10));
    expect(detector.isNearEnd).toBe(false);
    run(detector, squareWave(3_000, 20));
    expect(detector.isNearEnd).toBe(true);
    run(detector, squareWave(10, 60));
    expect(detector.isNearEnd).toBe(false);
  });

  it('ignores a click of 40 ms, and a pause of 180 ms within speech', () => {
    const { classifier } = scriptedClassifier();
    const detector = new VoiceActivityDetector(classifier);
    expect(run(detector, squareWave(3000, 2), squareWave(10, 20))).toEqual([]);
    const events = run(detector, squareWave(3000, 5), squareWave(10, 9), squareWave(3000, 5), squareWave(10, 9));
    expect(edgesOf(events)).toEqual([{ type: 'speech_started', audioMs: 440 }]);
  });

  it('reports once that speech has lasted for 200, 500 and 800 ms, in the frame that reaches it', () => {
    const { classifier } = scriptedClassifier();
    const detector = new VoiceActivityDetector(classifier);
    const lasted: number[] = [];
    for (let frame = 1; frame <= 60; frame++) {
      for (const event of run(detector, squareWave(3000, 1))) {
        if (event.type !== 'speech_lasted') continue;
        expect(event).toEqual({ type: 'speech_lasted', audioMs: 0, lastedMs: frame * 20 });
        lasted.push(event.lastedMs);
      }
    }
    expect(lasted).toEqual([200, 500, 800]);
  });

  it('does not count the silence after a sound, nor three short sounds in a second, as lasting speech', () => {
    const { classifier } = scriptedClassifier();
    const knocks = [squareWave(3000, 4), squareWave(10, 9)];
    const events = run(new VoiceActivityDetector(classifier), ...knocks, ...knocks, ...knocks, squareWave(10, 20));
    expect(events.map(({ type }) => type)).toEqual(['speech_started', 'speech_stopped']);
    const sound = run(new VoiceActivityDetector(classifier), squareWave(3000, 24), squareWave(10, 20));
    expect(sound.flatMap((event) => (event.type === 'speech_lasted' ? [event.lastedMs] : []))).toEqual([200]);
  });

  it('ignores loud noise that the classifier rejects', () => {
    const { state, classifier } = scriptedClassifier(false);
    expect(run(new VoiceActivityDetector(classifier), squareWave(8000, 50))).toEqual([]);
    expect(state.calls).toBe(50);
  });

  it('emits the same events for packets of any length', () => {
    const audio = Int16Array.from([...squareWave(10, 10), ...squareWave(3000, 20), ...squareWave(10, 30)]);
    const pieces = Array.from({ length: Math.ceil(audio.length / 77) }, (_, i) => audio.slice(i * 77, (i + 1) * 77));
    const expected = run(new VoiceActivityDetector(scriptedClassifier().classifier), audio);
    expect(expected).toHaveLength(3);
    expect(run(new VoiceActivityDetector(scriptedClassifier().classifier), ...pieces)).toEqual(expected);
  });

  it('ends the current speech once when the stream pauses', () => {
    const detector = new VoiceActivityDetector(scriptedClassifier().classifier);
    run(detector, squareWave(3000, 10));
    const events: VoiceActivity[] = [];
    detector.interrupt((event) => events.push(event));
    detector.interrupt((event) => events.push(event));
    expect(events).toEqual([{ type: 'speech_stopped', audioMs: 200 }]);
  });

  it('continues the count of the previous detector', () => {
    const detector = new VoiceActivityDetector(scriptedClassifier().classifier, { samples: 8000, speaking: true });
    expect(run(detector, squareWave(10, 10))).toEqual([{ type: 'speech_stopped', audioMs: 1000 }]);
  });

  it('libfvad detects a vowel, but neither silence nor a hum below the gate', () => {
    const detector = new VoiceActivityDetector(createClassifier());
    expect(run(detector, squareWave(0, 20), squareWave(40, 20))).toEqual([]);
    const events = run(detector, vowel(50));
    expect(events[0]).toMatchObject({ type: 'speech_started' });
    detector.free();
  });
});

describe('libfvad', () => {
  const voicedOf = (classifier: VoiceClassifier, samples: Int16Array) =>
    Array.from({ length: samples.length / FRAME }, (_, frame) =>
      classifier.voiced(samples.slice(frame * FRAME, (frame + 1) * FRAME)),
    );
  const hiss = (lengthMs: number, seed: number) => noise(lengthMs, -30, seed);

  it('finds voice in a vowel, and not for long in a low tone', () => {
    expect(voicedOf(createClassifier(), vowel(50))).not.toContain(false);
    expect(voicedOf(createClassifier(), tone([300], 1_000)).slice(10)).not.toContain(true);
  });

  it('forgets what it has heard when it is reset', () => {
    const fresh = voicedOf(createClassifier(), hiss(400, 9));
    const classifier = createClassifier();
    voicedOf(classifier, hiss(4_000, 3));
    expect(voicedOf(classifier, hiss(400, 9))).not.toEqual(fresh);
    classifier.reset();
    expect(voicedOf(classifier, hiss(400, 9))).toEqual(fresh);
  });
});

/** The vowel «a»: pulses of a 120 Hz voice through two resonances. */
function vowel(frames: number): Int16Array {
  const resonances = [
    { hz: 700, last: 0, beforeLast: 0 },
    { hz: 1200, last: 0, beforeLast: 0 },
  ];
  return Int16Array.from({ length: frames * FRAME }, (_, i) => {
    let value = i % 67 === 0 ? 4000 : 0;
    for (const resonance of resonances) {
      const next =
        value + 1.9 * Math.cos((2 * Math.PI * resonance.hz) / 8000) * resonance.last - 0.9025 * resonance.beforeLast;
      resonance.beforeLast = resonance.last;
      resonance.last = next;
      value = next;
    }
    return Math.max(-32_000, Math.min(32_000, value));
  });
}
