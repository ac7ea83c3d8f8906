import { describe, expect, it } from 'vitest';
import { SentAudio } from '../../../adapters/socket-transcriber/sent-audio.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';

const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };

describe('sent audio', () => {
  it('subtracts sent silence from the provider’s times, and adds dropped audio', () => {
    const sent = new SentAudio(MULAW, 300);
    sent.addAudio(8_000);
    sent.addSilence(4_000);
    sent.addSilence(4_000);
    sent.addAudio(8_000);
    sent.addSilence(800);
    expect([0, 1_000, 1_400, 2_000, 2_500, 3_050].map((ms) => sent.writtenMs(ms))).toEqual([
      300, 1_300, 1_300, 1_300, 1_800, 2_300,
    ]);
  });

  it('keeps times exact over any number of pauses', () => {
    const sent = new SentAudio(MULAW, 0);
    for (let n = 0; n < 1_000; n++) {
      sent.addAudio(80);
      sent.addSilence(80);
    }
    sent.addAudio(80);
    expect(sent.writtenMs(20_010)).toBe(10_010);
  });
});
