import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { LINEAR16_RATES_HZ } from '../../../../base/audio/audio-format.ts';
import { decodeAlaw, decodeMulaw, encodeMulaw } from '../../../../base/audio/g711.ts';
import { loadResamplers, type Resamplers } from '../../../../base/audio/resampler.ts';
import { CODEC_ALAW, CODEC_MULAW } from '../../../../sip/media/worker-channel/audio-frame.ts';
import {
  CLEARED,
  createSessionMemory,
  PAUSED,
  type SessionMemory,
} from '../../../../sip/media/worker-channel/session-memory.ts';
import { measureTone, toneOfSamples } from '../../../rtp-peer/tone.ts';
import { drain, MULAW, playerOn } from './player.ts';

let resamplers: Resamplers;

beforeAll(async () => {
  resamplers = await loadResamplers();
});

const createPlayer = (wire?: number, memory?: SessionMemory, generation?: number) =>
  playerOn(resamplers, { wire, memory, generation });

/** Bytes that encode their own position. */
function numbered(length: number, from = 0): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (from + i) % 251);
}

function linearBytes(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

describe('playout', () => {
  it("plays audio in the wire's codec unchanged, for pieces of any length", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2000), { maxLength: 20 }), (lengths) => {
        const player = createPlayer();
        const whole = numbered(lengths.reduce((sum, length) => sum + length, 0));
        let at = 0;
        for (const length of lengths) {
          expect(player.writer.play(0, 0, MULAW, whole.subarray(at, at + length))).toBe(true);
          at += length;
        }
        expect(Uint8Array.from(drain(player))).toEqual(whole);
      }),
    );
  });

  it('emits the exact time of the start and end of each segment', () => {
    const player = createPlayer();
    player.writer.play(4, 0, MULAW, numbered(100));
    player.writer.endSegment(4, 0);
    player.writer.play(4, 1, MULAW, numbered(60));
    player.writer.endSegment(4, 1);
    player.writer.play(5, 0, MULAW, numbered(8));
    player.writer.endSegment(5, 0);
    player.packet();
    expect(player.events).toEqual([
      { type: 'segment_started', utterance: 4, segment: 0, playedMs: 0 },
      { type: 'segment_ended', utterance: 4, segment: 0, playedMs: 12.5 },
      { type: 'segment_started', utterance: 4, segment: 1, playedMs: 12.5 },
    ]);
    player.packet();
    expect(player.events.slice(3)).toEqual([
      { type: 'segment_ended', utterance: 4, segment: 1, playedMs: 20 },
      { type: 'segment_started', utterance: 5, segment: 0, playedMs: 0 },
      { type: 'segment_ended', utterance: 5, segment: 0, playedMs: 1 },
    ]);
  });

  it('emits the end of a segment at once if its audio has been played', () => {
    const player = createPlayer();
    player.writer.play(0, 0, MULAW, numbered(160));
    player.packet();
    player.packet();
    expect(player.events).toHaveLength(1);
    expect(player.playout.isStarving).toBe(true);
    player.writer.endSegment(0, 0);
    player.packet();
    expect(player.events.at(-1)).toEqual({ type: 'segment_ended', utterance: 0, segment: 0, playedMs: 20 });
    expect(player.playout.isStarving).toBe(false);
  });

  it('plays neither queued nor later audio of a cleared utterance', () => {
    const player = createPlayer();
    player.writer.play(7, 0, MULAW, numbered(1000));
    player.writer.endSegment(7, 0);
    player.packet();
    Atomics.store(player.memory.control, CLEARED, 7);
    player.writer.play(7, 1, MULAW, numbered(500));
    player.writer.play(8, 0, MULAW, numbered(320, 100));
    expect(Uint8Array.from(drain(player))).toEqual(numbered(320, 100));
    expect(player.playout.playedMs(7)).toBe(20);
    expect(player.playout.playedMs(8)).toBe(40);
    expect(player.events.map((event) => event.type)).toEqual(['segment_started', 'segment_started']);
  });

  it('drops audio of the cleared utterance that is still in the ring', () => {
    const player = createPlayer();
    player.writer.play(1, 0, MULAW, numbered(5000));
    player.writer.play(2, 0, MULAW, numbered(160, 50));
    Atomics.store(player.memory.control, CLEARED, 1);
    expect(Uint8Array.from(player.packet())).toEqual(numbered(160, 50));
  });

  it('never plays a frame of an earlier call in the same slot', () => {
    const memory = createSessionMemory();
    createPlayer(CODEC_MULAW, memory, 1).writer.play(0, 0, MULAW, numbered(500));
    const next = createPlayer(CODEC_MULAW, memory, 2);
    expect(next.packet()).toHaveLength(0);
    expect(next.events).toEqual([]);
    expect(memory.agentAudio.used).toBe(0);
  });

  it('continues in another worker at the exact sample', () => {
    const player = createPlayer();
    const audio = numbered(1000);
    player.writer.play(0, 0, MULAW, audio);
    player.writer.endSegment(0, 0);
    const before = player.packet();
    const successor = createPlayer(CODEC_MULAW, player.memory);
    expect(Uint8Array.from(Buffer.concat([before, drain(successor)]))).toEqual(audio);
    successor.packet();
    expect(successor.events).toEqual([{ type: 'segment_ended', utterance: 0, segment: 0, playedMs: 125 }]);
  });

  it('plays each utterance from its start without a gap, and repeats only what it reports, for any order of commands', () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('play' as const), length: fc.nat(900) }),
      fc.constantFrom(...(['packet', 'packet', 'packet', 'pause', 'resume', 'clear', 'next', 'end'] as const)),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const player = createPlayer();
        const played = new Map<number, number>();
        const reached = new Map<number, number>();
        const queued = new Map<number, number>();
        let utterance = 0;
        let cleared = -1;
        let paused = false;
        for (const next of steps) {
          if (typeof next === 'object') {
            const from = queued.get(utterance) ?? 0;
            if (player.writer.play(utterance, 0, MULAW, coded(utterance, from, next.length))) {
              queued.set(utterance, from + next.length);
            }
          } else if (next === 'packet') {
            const known = player.events.length;
            const packet = player.packet();
            if (paused) expect(packet).toHaveLength(0);
            for (const event of player.events.slice(known)) {
              if (event.type !== 'resumed') continue;
              played.set(event.utterance, (played.get(event.utterance) ?? 0) - event.replayedMs * 8);
            }
            for (const code of packet) {
              const playedUtterance = code >> 5;
              const index = played.get(playedUtterance) ?? 0;
              expect(code).toBe(coded(playedUtterance, index, 1)[0]);
              expect(playedUtterance).toBeGreaterThan(cleared);
              played.set(playedUtterance, index + 1);
              reached.set(playedUtterance, Math.max(reached.get(playedUtterance) ?? 0, index + 1));
            }
          } else if (next === 'pause' || next === 'resume') {
            paused = next === 'pause';
            Atomics.store(player.memory.control, PAUSED, paused ? 1 : 0);
          } else if (next === 'clear') {
            cleared = utterance;
            Atomics.store(player.memory.control, CLEARED, cleared);
            player.writer.clear(cleared);
            player.playout.discardCleared();
            expect(player.playout.playedMs(cleared)).toBe((reached.get(cleared) ?? 0) / 8);
          } else if (next === 'end') player.writer.endSegment(utterance, 0);
          else utterance = Math.min(7, utterance + 1);
        }
      }),
    );
  });
});

/** Bytes with the utterance in the upper three bits and the position in the lower five. */
function coded(utterance: number, from: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (utterance << 5) | ((from + i) % 31));
}

describe('playout of audio in another format', () => {
  it('encodes linear16 at 8 kHz as G.711, even if a piece ends within a sample', () => {
    const samples = toneOfSamples(440, 1600);
    const expected = new Uint8Array(1600);
    encodeMulaw(samples, 0, 1600, expected);
    const player = createPlayer();
    const bytes = linearBytes(samples);
    for (let at = 0; at < bytes.length; at += 333) {
      player.writer.play(0, 0, { encoding: 'linear16', sampleRateHz: 8000 }, bytes.subarray(at, at + 333));
    }
    expect(Uint8Array.from(drain(player))).toEqual(expected);
  });

  it.each([
    ['mulaw', CODEC_ALAW],
    ['alaw', CODEC_MULAW],
  ] as const)('converts %s for a call of the other law', (encoding, wire) => {
    const player = createPlayer(wire);
    const queued = new Uint8Array(1600);
    encodeMulaw(toneOfSamples(440, 1600), 0, 1600, queued);
    if (encoding === 'alaw') {
      const alaw = createPlayer(CODEC_ALAW);
      alaw.writer.play(0, 0, MULAW, queued);
      queued.set(drain(alaw));
    }
    player.writer.play(0, 0, { encoding, sampleRateHz: 8000 }, queued);
    const out = drain(player);
    const samples = new Int16Array(out.length);
    if (wire === CODEC_ALAW) decodeAlaw(out, 0, out.length, samples);
    else decodeMulaw(out, 0, out.length, samples);
    expect(out).toHaveLength(1600);
    expect(measureTone(samples, 440).share).toBeGreaterThan(0.99);
  });

  it.each(LINEAR16_RATES_HZ.filter((rate) => rate !== 8_000))(
    'resamples linear16 at %d Hz with the same pitch and length, to the last sample of the segment',
    (rate) => {
      const player = createPlayer();
      player.writer.play(
        2,
        0,
        { encoding: 'linear16', sampleRateHz: rate },
        linearBytes(toneOfSamples(1000, rate, rate)),
      );
      player.writer.endSegment(2, 0);
      player.writer.play(2, 1, MULAW, numbered(10));
      const out = drain(player);
      const samples = new Int16Array(7990);
      decodeMulaw(out, 0, 7990, samples);
      expect(measureTone(samples, 1000).share).toBeGreaterThan(0.98);
      const ended = player.events.find((event) => event.type === 'segment_ended');
      expect(ended).toMatchObject({ utterance: 2, segment: 0 });
      expect(Math.abs((ended?.type === 'segment_ended' ? ended.playedMs : 0) - 1000)).toBeLessThanOrEqual(1);
    },
  );

  it.each([32_000, 44_100])('filters frequencies above 4 kHz out of linear16 at %d Hz, without aliasing', (rate) => {
    const player = createPlayer();
    player.writer.play(
      0,
      0,
      { encoding: 'linear16', sampleRateHz: rate },
      linearBytes(toneOfSamples(6_000, rate / 2, rate)),
    );
    const out = drain(player);
    const samples = new Int16Array(out.length);
    decodeMulaw(out, 0, out.length, samples);
    // After the start, which is a step: 40 dB below the tone's amplitude of 16,000.
    expect(Math.max(...samples.subarray(100, 3_900).map(Math.abs))).toBeLessThan(160);
  });

  it.each([
    { encoding: 'linear16', sampleRateHz: 11_025 },
    { encoding: 'mulaw', sampleRateHz: 16_000 },
    { encoding: 'alaw', sampleRateHz: 0 },
  ] as const)('throws for $encoding at $sampleRateHz Hz', (format) => {
    const { writer } = createPlayer();
    expect(() => writer.play(0, 0, format, new Uint8Array(10))).toThrow(format.encoding);
  });
});

describe('agent audio writer with a full ring', () => {
  it('accepts one piece of any size, refuses the next, and reports once when it accepts again', () => {
    const player = createPlayer();
    const whole = numbered(300_000);
    expect(player.writer.play(0, 0, MULAW, whole)).toBe(true);
    expect(player.writer.play(0, 0, MULAW, numbered(10))).toBe(false);
    player.writer.endSegment(0, 0);
    const packets: Uint8Array[] = [];
    let drained = 0;
    for (let i = 0; i < 2100; i++) {
      packets.push(player.packet());
      if (player.writer.refill()) drained++;
    }
    expect(Uint8Array.from(Buffer.concat(packets))).toEqual(whole);
    expect(drained).toBe(1);
    expect(player.events.at(-1)).toEqual({ type: 'segment_ended', utterance: 0, segment: 0, playedMs: 37_500 });
    expect(player.writer.play(0, 1, MULAW, numbered(10))).toBe(true);
  });

  it('copies the waiting piece, so the caller of play may reuse its bytes', () => {
    const player = createPlayer();
    const audio = new Uint8Array(100_000).fill(1);
    player.writer.play(0, 0, MULAW, audio);
    audio.fill(2);
    let played = 0;
    for (let i = 0; i < 700; i++) {
      played += player.packet().filter((code) => code === 1).length;
      player.writer.refill();
    }
    expect(played).toBe(100_000);
  });

  it('drops the waiting piece of a cleared utterance and accepts the next utterance', () => {
    const player = createPlayer();
    player.writer.play(0, 0, MULAW, numbered(300_000));
    expect(player.writer.play(1, 0, MULAW, numbered(160, 9))).toBe(false);
    Atomics.store(player.memory.control, CLEARED, 0);
    player.writer.clear(0);
    player.playout.discardCleared();
    expect(player.writer.refill()).toBe(true);
    expect(player.writer.play(1, 0, MULAW, numbered(160, 9))).toBe(true);
    expect(Uint8Array.from(drain(player))).toEqual(numbered(160, 9));
  });
});
