import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FRAME_MS, SpeechGate } from '../../../adapters/utterances/speech-gate.ts';
import { UtteranceCutter } from '../../../adapters/utterances/utterance-cutter.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import { toneBytes } from '../../providers/speech/tone-speech.ts';

const WIDEBAND: AudioFormat = { encoding: 'linear16', sampleRateHz: 16_000 };

describe('speech gate', () => {
  const frame = (amplitude: number) =>
    Int16Array.from({ length: 160 }, (_, n) => (n % 2 === 0 ? amplitude : -amplitude));
  const speechMs = (gate: SpeechGate, amplitude: number, ms: number) => {
    let detectedMs = 0;
    for (let at = 0; at < ms; at += FRAME_MS) if (gate.take(frame(amplitude)).isSpeech) detectedMs += FRAME_MS;
    return detectedMs;
  };

  it('does not detect a click as speech', () => {
    const gate = new SpeechGate();
    expect(speechMs(gate, 0, 1_000) + speechMs(gate, 20_000, 40) + speechMs(gate, 0, 1_000)).toBe(0);
  });

  it('ignores steady noise of any level, and detects a voice above it', () => {
    const gate = new SpeechGate();
    expect(speechMs(gate, 60, 30_000)).toBe(0);
    expect(speechMs(gate, 1_000, 500)).toBeGreaterThan(400);
    expect(speechMs(gate, 60, 1_000)).toBe(300 - FRAME_MS);
  });

  it('pauses between syllables do not end an utterance', () => {
    const gate = new SpeechGate();
    speechMs(gate, 5_000, 500);
    expect(speechMs(gate, 0, 280) + speechMs(gate, 5_000, 200)).toBe(480);
  });

  it('stops detecting speech some time after the noise floor has risen for good', () => {
    const gate = new SpeechGate();
    speechMs(gate, 30, 5_000);
    speechMs(gate, 400, 120_000);
    expect(speechMs(gate, 400, 1_000)).toBe(0);
  });
});

describe('utterance cutter', () => {
  it('cuts the same utterances for any chunk size', () => {
    const audio = Buffer.concat([
      Buffer.alloc(32_000),
      toneBytes('linear16', 16_000, 500),
      Buffer.alloc(16_000),
      toneBytes('linear16', 16_000, 700),
      Buffer.alloc(16_000),
    ]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 50 }), (sizes) => {
        const cutter = new UtteranceCutter(WIDEBAND);
        const cuts = [];
        for (let at = 0, n = 0; at < audio.length; n++) {
          const size = sizes[n % sizes.length] ?? 1;
          cuts.push(...cutter.take(audio.subarray(at, at + size)));
          at += size;
        }
        expect(cuts).toMatchObject([
          { type: 'speech', audioMs: 1_000 },
          { type: 'utterance', startMs: 1_000, endMs: 1_500 },
          { type: 'speech', audioMs: 2_000 },
          { type: 'utterance', startMs: 2_000, endMs: 2_700 },
        ]);
      }),
      { numRuns: 20 },
    );
  });
});
