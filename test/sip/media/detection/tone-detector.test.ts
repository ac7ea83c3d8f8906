import { describe, expect, test } from 'vitest';
import { cadence, joined, mixed, noise, silence, throughMulaw, tone } from '../../../../fixtures/answers/synthesis.ts';
import { type DetectedTone, ToneDetector } from '../../../../sip/media/detection/tone-detector.ts';

function detect(samples: Int16Array, packet = 160, detector = new ToneDetector()): readonly DetectedTone[] {
  const found: DetectedTone[] = [];
  for (let at = 0; at < samples.length; at += packet) {
    const piece = samples.subarray(at, at + packet);
    detector.write(piece, piece.length, (one) => found.push(one));
  }
  return found;
}

function between(...parts: Int16Array[]): Int16Array {
  return throughMulaw(joined([silence(500), ...parts, silence(1_000)]));
}

describe('the tone detector', () => {
  test('tells kind, frequency and both edges of a beep', () => {
    const [found, ...others] = detect(between(tone([1_000], 400)));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ type: 'tone', kind: 'beep', frequencyHz: 1_000 });
    expect(Math.abs((found?.startMs ?? 0) - 500)).toBeLessThanOrEqual(15);
    expect(Math.abs((found?.endMs ?? 0) - 900)).toBeLessThanOrEqual(15);
  });

  test('finds 97 of 100 beeps of 120 ms in noise 5 dB below, whatever their frequency and wherever their packets begin', () => {
    const missed: string[] = [];
    for (let hz = 500; hz <= 2_500; hz += 50) {
      for (const shift of [0, 40, 80, 120]) {
        const clean = joined([new Int16Array(shift), between(tone([hz], 120))]);
        const hiss = noise(clean.length / 8, -14 - 3 - 5, hz + shift);
        if (detect(throughMulaw(mixed(clean, hiss))).length !== 1) missed.push(`${hz} Hz, ${shift}`);
      }
    }
    // Of 164 beeps of the least length in the loudest noise.
    expect(missed.length, missed.join('; ')).toBeLessThanOrEqual(5);
  });

  test('takes no sound of a voice for a beep: neither a vowel of steady pitch, nor one among others', () => {
    const vowel = (hz: number) => joined([tone([hz, 2 * hz], 150, -14), silence(0)]);
    const speech = joined([noise(120, -17, 5), tone([520], 120), noise(120, -17, 6)]);
    expect(detect(between(tone([520, 1_040, 1_560], 150)))).toEqual([]);
    expect(detect(between(speech))).toEqual([]);
    expect(detect(between(vowel(260), vowel(270), vowel(280)))).toEqual([]);
  });

  test('takes neither 60 ms for a beep, nor 3 s', () => {
    expect(detect(between(tone([1_000], 60)))).toEqual([]);
    expect(detect(between(tone([1_000], 3_000)))).toEqual([]);
  });

  test('tells a beep 0.2 s after its end, one in the band of ringing tones 0.7 s after', () => {
    const reported = (samples: Int16Array, untilMs: number) => detect(samples.subarray(0, untilMs * 8)).length;
    const beep = between(tone([1_000], 400));
    expect([reported(beep, 1_000), reported(beep, 1_120)]).toEqual([0, 1]);
    const low = between(tone([440], 400));
    expect([reported(low, 1_400), reported(low, 1_600)]).toEqual([0, 1]);
  });

  test('hears the tone through a lost packet, and through packets of any length', () => {
    const whole = between(tone([1_000], 600));
    const lossy = joined([whole.subarray(0, 6_400), whole.subarray(6_560)]);
    expect(detect(lossy)).toHaveLength(1);
    expect(detect(whole, 77)).toEqual(detect(whole));
    expect(detect(whole, 240)).toEqual(detect(whole));
  });

  test('takes two beeps with a second between them for two, a busy tone for none', () => {
    expect(detect(between(cadence(tone([1_000], 300), 1_000, 2)))).toHaveLength(2);
    expect(detect(between(cadence(tone([425], 500), 500, 4)))).toEqual([]);
  });

  test('tells special information tones once, also where their first was missed', () => {
    const steps = [985.2, 1_428.5, 1_776.7].map((hz) => tone([hz], 330));
    expect(detect(between(...steps)).map(({ kind }) => kind)).toEqual(['sit']);
    expect(detect(between(...steps.slice(1))).map(({ kind }) => kind)).toEqual(['sit']);
    expect(detect(between(...steps.toReversed()))).toEqual([]);
  });

  test('tells what sounded when the packets stop, and nothing afterwards', () => {
    const detector = new ToneDetector();
    const found: DetectedTone[] = [];
    expect(detect(joined([silence(500), tone([1_000], 400)]), 160, detector)).toEqual([]);
    detector.interrupt((one) => found.push(one));
    detector.interrupt((one) => found.push(one));
    expect(found).toHaveLength(1);
    expect(detect(silence(1_000), 160, detector)).toEqual([]);
  });

  test('counts from where in the stream it began to listen', () => {
    const [found] = detect(between(tone([1_000], 400)), 160, new ToneDetector(80_000));
    expect(Math.abs((found?.startMs ?? 0) - 10_500)).toBeLessThanOrEqual(15);
  });
});
