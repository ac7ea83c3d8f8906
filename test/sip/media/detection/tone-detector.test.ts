import { describe, expect, it } from 'vitest';
import { cadence, joined, mixed, noise, silence, throughMulaw, tone } from '../../../../fixtures/sound/synthesis.ts';
import { type DetectedTone, ToneDetector } from '../../../../sip/media/detection/tone-detector.ts';

function detect(samples: Int16Array, packet = 160, detector = new ToneDetector()): readonly DetectedTone[] {
  const found: DetectedTone[] = [];
  for (let at = 0; at < samples.length; at += packet) {
    const piece = samples.subarray(at, at + packet);
    detector.write(piece, piece.length, (tone) => found.push(tone));
  }
  return found;
}

/** The parts between silence, as mu-law changes them. */
function amidSilence(...parts: Int16Array[]): Int16Array {
  return throughMulaw(joined([silence(500), ...parts, silence(1_000)]));
}

describe('tone detector', () => {
  it('reports kind, frequency, start and end of a beep', () => {
    const [found, ...others] = detect(amidSilence(tone([1_000], 400)));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ type: 'tone', kind: 'beep', frequencyHz: 1_000 });
    expect(Math.abs((found?.startMs ?? 0) - 500)).toBeLessThanOrEqual(15);
    expect(Math.abs((found?.endMs ?? 0) - 900)).toBeLessThanOrEqual(15);
  });

  it('finds 97 % of beeps of 120 ms in noise 5 dB below, at any frequency and packet offset', () => {
    const missed: string[] = [];
    for (let hz = 500; hz <= 2_500; hz += 50) {
      for (const shift of [0, 40, 80, 120]) {
        const clean = joined([new Int16Array(shift), amidSilence(tone([hz], 120))]);
        const hiss = noise(clean.length / 8, -14 - 3 - 5, hz + shift);
        if (detect(throughMulaw(mixed(clean, hiss))).length !== 1) missed.push(`${hz} Hz, ${shift}`);
      }
    }
    // There are 164 beeps of the minimum length in the loudest noise.
    expect(missed.length, missed.join('; ')).toBeLessThanOrEqual(5);
  });

  it('ignores vowels of steady pitch, alone and within speech', () => {
    const vowel = (hz: number) => joined([tone([hz, 2 * hz], 150, -14), silence(0)]);
    const speech = joined([noise(120, -17, 5), tone([520], 120), noise(120, -17, 6)]);
    expect(detect(amidSilence(tone([520, 1_040, 1_560], 150)))).toEqual([]);
    expect(detect(amidSilence(speech))).toEqual([]);
    expect(detect(amidSilence(vowel(260), vowel(270), vowel(280)))).toEqual([]);
  });

  it('ignores tones of 60 ms and of 3 s', () => {
    expect(detect(amidSilence(tone([1_000], 60)))).toEqual([]);
    expect(detect(amidSilence(tone([1_000], 3_000)))).toEqual([]);
  });

  it('reports a beep 0.2 s after its end, or 0.7 s in the band of ringing tones', () => {
    const reported = (samples: Int16Array, untilMs: number) => detect(samples.subarray(0, untilMs * 8)).length;
    const beep = amidSilence(tone([1_000], 400));
    expect([reported(beep, 1_000), reported(beep, 1_120)]).toEqual([0, 1]);
    const low = amidSilence(tone([440], 400));
    expect([reported(low, 1_400), reported(low, 1_600)]).toEqual([0, 1]);
  });

  it('finds a tone despite a lost packet, and in packets of any length', () => {
    const whole = amidSilence(tone([1_000], 600));
    const lossy = joined([whole.subarray(0, 6_400), whole.subarray(6_560)]);
    expect(detect(lossy)).toHaveLength(1);
    expect(detect(whole, 77)).toEqual(detect(whole));
    expect(detect(whole, 240)).toEqual(detect(whole));
  });

  it('reports a beep of two frequencies as one, whichever of them is the louder one', () => {
    const part = (firstDb: number, secondDb: number) =>
      mixed(tone([1_000], 200, firstDb), tone([1_400], 200, secondDb));
    const found = detect(amidSilence(part(-14, -15), part(-15, -14)));
    expect(found).toHaveLength(1);
    expect((found[0]?.endMs ?? 0) - (found[0]?.startMs ?? 0)).toBeGreaterThan(350);
  });

  it('takes a tone for one of the network by its frequencies and its length', () => {
    expect(detect(amidSilence(tone([600], 1_200)))).toHaveLength(1);
    expect(detect(amidSilence(tone([440], 1_200)))).toEqual([]);
    expect(detect(amidSilence(tone([480, 620], 400)))).toEqual([]);
    expect(detect(amidSilence(tone([941, 1_336], 400)))).toEqual([]);
  });

  it('reports two beeps one second apart as two, and ignores a busy tone', () => {
    expect(detect(amidSilence(cadence(tone([1_000], 300), 1_000, 2)))).toHaveLength(2);
    expect(detect(amidSilence(cadence(tone([425], 500), 500, 4)))).toEqual([]);
  });

  it('reports special information tones once, even without the first of the three', () => {
    const steps = [985.2, 1_428.5, 1_776.7].map((hz) => tone([hz], 330));
    expect(detect(amidSilence(...steps)).map(({ kind }) => kind)).toEqual(['sit']);
    expect(detect(amidSilence(...steps.slice(1))).map(({ kind }) => kind)).toEqual(['sit']);
    expect(detect(amidSilence(...steps.toReversed()))).toEqual([]);
  });

  it('reports the current tone once when the packets stop', () => {
    const detector = new ToneDetector();
    const found: DetectedTone[] = [];
    expect(detect(joined([silence(500), tone([1_000], 400)]), 160, detector)).toEqual([]);
    detector.interrupt((tone) => found.push(tone));
    detector.interrupt((tone) => found.push(tone));
    expect(found).toHaveLength(1);
    expect(detect(silence(1_000), 160, detector)).toEqual([]);
  });

  it('counts times from its start position in the stream', () => {
    const [found] = detect(amidSilence(tone([1_000], 400)), 160, new ToneDetector(80_000));
    expect(Math.abs((found?.startMs ?? 0) - 10_500)).toBeLessThanOrEqual(15);
  });
});
