import { beforeAll, describe, expect, it } from 'vitest';
import { encodeMulaw } from '../../../../base/audio/g711.ts';
import { loadResamplers, type Resamplers } from '../../../../base/audio/resampler.ts';
import { atLevel, syntheticSpeech } from '../../../../fixtures/sound/recorded-speech.ts';
import { seeded } from '../../../../fixtures/sound/speakerphone.ts';
import {
  type CreateNoiseSuppressor,
  loadNoiseSuppression,
  type NoiseSuppressor,
} from '../../../../sip/media/receive/noise-suppressor.ts';
import { peerAudioOfCall } from './peer-audio-of-call.ts';

const SPEECH_DB = -22;
const NOISE_DB = -40;
/** Before and after the speech. */
const SILENT_S = 1;
const PACKET_MS = 20;

let resamplers: Resamplers;
let create: CreateNoiseSuppressor;
beforeAll(async () => {
  resamplers = await loadResamplers();
  create = await loadNoiseSuppression(resamplers);
});

/** Speech after a second of silence, alone and with noise. */
function sounds(rateHz: number) {
  const speech = atLevel(syntheticSpeech('address-woman'), SPEECH_DB);
  const times = rateHz / 8_000;
  const packet = (rateHz / 1_000) * PACKET_MS;
  const packets = Math.ceil((2 * SILENT_S * rateHz + speech.length * times) / packet);
  const clean = Int16Array.from(
    { length: packets * packet },
    (_, i) => speech[Math.floor((i - SILENT_S * rateHz) / times)] ?? 0,
  );
  const random = seeded(1);
  const amplitude = 32_768 * 10 ** (NOISE_DB / 20) * Math.sqrt(3);
  return { clean, noisy: clean.map((sample) => sample + Math.round((2 * random() - 1) * amplitude)), packet };
}

function levelDb(samples: Int16Array): number {
  return 10 * Math.log10(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length / 32_768 ** 2);
}

/** The shift at which two sounds match best, in samples. */
function lagOf(sound: Int16Array, reference: Int16Array, most: number): number {
  const match = (lag: number) => reference.reduce((sum, sample, i) => sum + sample * (sound[i + lag] ?? 0), 0);
  const lags = Array.from({ length: 2 * most + 1 }, (_, i) => i - most);
  return lags.reduce((best, lag) => (match(lag) > match(best) ? lag : best), 0);
}

function suppressed(suppressor: NoiseSuppressor, samples: Int16Array, packet: number): Int16Array {
  const output: number[] = [];
  const keep = (made: number) => output.push(...suppressor.output.subarray(0, made));
  for (let at = 0; at < samples.length; at += packet) keep(suppressor.suppress(samples.subarray(at), packet));
  keep(suppressor.drain());
  return Int16Array.from(output);
}

describe.each([8_000, 16_000])('noise suppression at %i Hz', (rateHz) => {
  it('lowers noise by 20 dB or more, and speech by less than 1 dB', () => {
    const { noisy, packet } = sounds(rateHz);
    const output = suppressed(create(rateHz), noisy, packet);
    const silent = (samples: Int16Array) => samples.subarray(0.5 * rateHz, SILENT_S * rateHz);
    const spoken = (samples: Int16Array) => samples.subarray(SILENT_S * rateHz, -SILENT_S * rateHz);
    expect(levelDb(silent(output))).toBeLessThan(levelDb(silent(noisy)) - 20);
    expect(levelDb(spoken(output))).toBeGreaterThan(levelDb(spoken(noisy)) - 1);
  });

  it('keeps each sound at its position within 1 ms, and returns as many samples as it takes', () => {
    const { clean, noisy, packet } = sounds(rateHz);
    const output = suppressed(create(rateHz), noisy, packet);
    expect(output).toHaveLength(noisy.length);
    expect(Math.abs(lagOf(output, clean, rateHz / 50))).toBeLessThanOrEqual(rateHz / 1_000);
  });
});

/** A G.711 call that sends a noisy sentence. */
function callWith(createSuppressor: CreateNoiseSuppressor | null) {
  const { noisy, packet } = sounds(8_000);
  const heard = { original: [] as number[], speech: [] as number[], transcribed: 0, failures: [] as unknown[] };
  const peerAudio = peerAudioOfCall(
    {
      resamplers,
      hear: (samples, length) => heard.original.push(...samples.subarray(0, length)),
      hearSpeech: (samples, length) => heard.speech.push(...samples.subarray(0, length)),
      silentMs: () => 0,
      isAgentHeard: () => false,
    },
    (audio) => {
      heard.transcribed += audio.length;
    },
  );
  if (createSuppressor !== null) peerAudio.suppressNoise(createSuppressor, (error) => heard.failures.push(error));
  const payload = new Uint8Array(packet);
  for (let at = 0; at < noisy.length; at += packet) {
    encodeMulaw(noisy, at, packet, payload);
    peerAudio.take(payload, packet, at, 0);
  }
  return { heard, length: noisy.length, peerAudio };
}

describe('noise suppression of a call', () => {
  it('reaches voice activity and transcriber; tone and digit detection hear the original', () => {
    const plain = callWith(null);
    const { heard, length } = callWith(create);
    expect(heard.original).toEqual(plain.heard.original);
    const silent = (samples: readonly number[]) => levelDb(Int16Array.from(samples.slice(4_000, 8_000)));
    expect(silent(heard.speech)).toBeLessThan(silent(plain.heard.speech) - 20);
    expect(heard.transcribed).toBe(heard.speech.length);
    expect(length - heard.speech.length).toBeLessThan(8 * 2 * PACKET_MS);
  });

  it('gives out what it holds before the codec changes its rate', () => {
    const { heard, length, peerAudio } = callWith(create);
    peerAudio.configure('g722');
    expect(heard.speech).toHaveLength(length);
  });

  it('that fails ends with one report; the call goes on with the original audio at the same positions', () => {
    let pieces = 0;
    const plain = callWith(null);
    const { heard, length } = callWith((rateHz) => {
      const suppressor = create(rateHz);
      const suppress = suppressor.suppress.bind(suppressor);
      suppressor.suppress = (samples, count) => {
        if (++pieces > 20) throw new Error('unreachable');
        return suppress(samples, count);
      };
      return suppressor;
    });
    expect(heard.failures).toEqual([new Error('unreachable')]);
    expect(heard.speech).toHaveLength(length);
    expect(heard.speech.slice(8_000)).toEqual(plain.heard.speech.slice(8_000));
  });
});
