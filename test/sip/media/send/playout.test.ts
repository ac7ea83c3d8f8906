import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AudioFormat, LINEAR16_RATES_HZ } from '../../../../base/audio/audio-format.ts';
import { decodeAlaw, decodeMulaw, encodeMulaw } from '../../../../base/audio/g711.ts';
import { loadResamplers, type Resamplers } from '../../../../base/audio/resampler.ts';
import type { MediaEvent } from '../../../../engine/ports/media.ts';
import { AgentAudioWriter } from '../../../../sip/media/main-thread/agent-audio-writer.ts';
import { Playout } from '../../../../sip/media/send/playout.ts';
import { PlayoutTranscoder } from '../../../../sip/media/send/playout-transcoder.ts';
import { CODEC_ALAW, CODEC_MULAW } from '../../../../sip/media/worker-channel/audio-frame.ts';
import {
  CLEARED,
  createSessionMemory,
  PAUSED,
  type SessionMemory,
} from '../../../../sip/media/worker-channel/session-memory.ts';
import { tone, toneShare } from '../tone.ts';

const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8000 };
const PACKET = 160;
let resamplers: Resamplers;

beforeAll(async () => {
  resamplers = await loadResamplers();
});

interface Player {
  readonly memory: SessionMemory;
  readonly downlink: AgentAudioWriter;
  readonly playout: Playout;
  readonly events: MediaEvent[];
  /** One packet: what of it came from the queue. */
  packet(): Uint8Array;
}

function player(wire = CODEC_MULAW, memory = createSessionMemory(), generation = 1): Player {
  const converter = new PlayoutTranscoder(resamplers);
  converter.outputCodec = wire;
  const playout = new Playout(memory, 3, generation, converter);
  const events: MediaEvent[] = [];
  const packet = () => {
    const out = new Uint8Array(PACKET);
    const count = playout.fill(out, 0, PACKET);
    playout.emitMarks((event) => events.push(event));
    return out.slice(0, count);
  };
  return { memory, downlink: new AgentAudioWriter(memory, 3, 1), playout, events, packet };
}

/** Bytes that tell where they stand. */
function numbered(length: number, from = 0): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (from + i) % 251);
}

/** All that is queued, packet by packet, the waiting piece moved on as the main thread would. */
function drain({ packet, downlink }: Player): Uint8Array {
  const packets: Uint8Array[] = [];
  for (let next = packet(); next.length > 0; next = packet()) {
    packets.push(next);
    downlink.refill();
  }
  return Buffer.concat(packets);
}

function linearBytes(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

describe('playout', () => {
  test("passes the wire's own codec on as it is, whatever the pieces it came in", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2000), { maxLength: 20 }), (lengths) => {
        const one = player();
        const whole = numbered(lengths.reduce((sum, length) => sum + length, 0));
        let at = 0;
        for (const length of lengths) {
          expect(one.downlink.play(0, 0, MULAW, whole.subarray(at, at + length))).toBe(true);
          at += length;
        }
        expect(Uint8Array.from(drain(one))).toEqual(whole);
      }),
    );
  });

  test('marks the beginning and the end of each segment at the very sample', () => {
    const one = player();
    one.downlink.play(4, 0, MULAW, numbered(100));
    one.downlink.endSegment(4, 0);
    one.downlink.play(4, 1, MULAW, numbered(60));
    one.downlink.endSegment(4, 1);
    one.downlink.play(5, 0, MULAW, numbered(8));
    one.downlink.endSegment(5, 0);
    one.packet();
    expect(one.events).toEqual([
      { type: 'segment_started', utterance: 4, segment: 0, playedMs: 0 },
      { type: 'segment_ended', utterance: 4, segment: 0, playedMs: 12.5 },
      { type: 'segment_started', utterance: 4, segment: 1, playedMs: 12.5 },
    ]);
    one.packet();
    expect(one.events.slice(3)).toEqual([
      { type: 'segment_ended', utterance: 4, segment: 1, playedMs: 20 },
      { type: 'segment_started', utterance: 5, segment: 0, playedMs: 0 },
      { type: 'segment_ended', utterance: 5, segment: 0, playedMs: 1 },
    ]);
  });

  test('an end that comes after its audio has been played is told at once', () => {
    const one = player();
    one.downlink.play(0, 0, MULAW, numbered(160));
    one.packet();
    one.packet();
    expect(one.events).toHaveLength(1);
    expect(one.playout.starving).toBe(true);
    one.downlink.endSegment(0, 0);
    one.packet();
    expect(one.events.at(-1)).toEqual({ type: 'segment_ended', utterance: 0, segment: 0, playedMs: 20 });
    expect(one.playout.starving).toBe(false);
  });

  test('stops before the next packet when paused, and goes on at the very sample', () => {
    const one = player();
    const audio = numbered(1000);
    one.downlink.play(0, 0, MULAW, audio);
    const before = [one.packet(), one.packet()];
    Atomics.store(one.memory.control, PAUSED, 1);
    expect([one.packet(), one.packet(), one.packet()].every((packet) => packet.length === 0)).toBe(true);
    expect(one.playout.playedMs(0)).toBe(40);
    Atomics.store(one.memory.control, PAUSED, 0);
    expect(Uint8Array.from(Buffer.concat([...before, drain(one)]))).toEqual(audio);
  });

  test('plays nothing of a cleared utterance, not of what is queued nor of what comes later', () => {
    const one = player();
    one.downlink.play(7, 0, MULAW, numbered(1000));
    one.downlink.endSegment(7, 0);
    one.packet();
    Atomics.store(one.memory.control, CLEARED, 7);
    one.downlink.play(7, 1, MULAW, numbered(500));
    one.downlink.play(8, 0, MULAW, numbered(320, 100));
    expect(Uint8Array.from(drain(one))).toEqual(numbered(320, 100));
    expect(one.playout.playedMs(7)).toBe(20);
    expect(one.playout.playedMs(8)).toBe(40);
    expect(one.events.map((event) => event.type)).toEqual(['segment_started', 'segment_started']);
  });

  test('what was in the ring before the clear is dropped by the epoch alone', () => {
    const one = player();
    one.downlink.play(1, 0, MULAW, numbered(5000));
    one.downlink.play(2, 0, MULAW, numbered(160, 50));
    Atomics.store(one.memory.control, CLEARED, 1);
    expect(Uint8Array.from(one.packet())).toEqual(numbered(160, 50));
  });

  test("never plays a frame of the slot's earlier call", () => {
    const memory = createSessionMemory();
    player(CODEC_MULAW, memory, 1).downlink.play(0, 0, MULAW, numbered(500));
    const next = player(CODEC_MULAW, memory, 2);
    expect(next.packet()).toHaveLength(0);
    expect(next.events).toEqual([]);
    expect(memory.agentAudio.used).toBe(0);
  });

  test('a successor goes on at the sample where the last one stopped', () => {
    const one = player();
    const audio = numbered(1000);
    one.downlink.play(0, 0, MULAW, audio);
    one.downlink.endSegment(0, 0);
    const before = one.packet();
    const successor = player(CODEC_MULAW, one.memory);
    expect(Uint8Array.from(Buffer.concat([before, drain(successor)]))).toEqual(audio);
    successor.packet();
    expect(successor.events).toEqual([{ type: 'segment_ended', utterance: 0, segment: 0, playedMs: 125 }]);
  });

  test('any order of play, pause, clear and packets plays each utterance from its start, without a gap or a repeat', () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('play' as const), length: fc.nat(900) }),
      fc.constantFrom(...(['packet', 'packet', 'packet', 'pause', 'resume', 'clear', 'next', 'end'] as const)),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const one = player();
        const heard = new Map<number, number>();
        const given = new Map<number, number>();
        let utterance = 0;
        let cleared = -1;
        let paused = false;
        for (const next of steps) {
          if (typeof next === 'object') {
            const from = given.get(utterance) ?? 0;
            if (one.downlink.play(utterance, 0, MULAW, coded(utterance, from, next.length))) {
              given.set(utterance, from + next.length);
            }
          } else if (next === 'packet') {
            const packet = one.packet();
            if (paused) expect(packet).toHaveLength(0);
            for (const code of packet) {
              const of = code >> 5;
              const index = heard.get(of) ?? 0;
              expect(code).toBe(coded(of, index, 1)[0]);
              expect(of).toBeGreaterThan(cleared);
              heard.set(of, index + 1);
            }
          } else if (next === 'pause' || next === 'resume') {
            paused = next === 'pause';
            Atomics.store(one.memory.control, PAUSED, paused ? 1 : 0);
          } else if (next === 'clear') {
            cleared = utterance;
            Atomics.store(one.memory.control, CLEARED, cleared);
            one.downlink.clear(cleared);
            one.playout.discardCleared();
            expect(one.playout.playedMs(cleared)).toBe((heard.get(cleared) ?? 0) / 8);
          } else if (next === 'end') one.downlink.endSegment(utterance, 0);
          else utterance = Math.min(7, utterance + 1);
        }
      }),
    );
  });
});

/** Three bits of the utterance, five of the place. */
function coded(utterance: number, from: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (utterance << 5) | ((from + i) % 31));
}

describe('audio of another format', () => {
  test('linear16 at 8 kHz is encoded as G.711 does it, also when it is cut in mid-sample', () => {
    const samples = tone(440, 1600);
    const expected = new Uint8Array(1600);
    encodeMulaw(samples, 0, 1600, expected);
    const one = player();
    const bytes = linearBytes(samples);
    for (let at = 0; at < bytes.length; at += 333) {
      one.downlink.play(0, 0, { encoding: 'linear16', sampleRateHz: 8000 }, bytes.subarray(at, at + 333));
    }
    expect(Uint8Array.from(drain(one))).toEqual(expected);
  });

  test.each([
    ['mulaw', CODEC_ALAW],
    ['alaw', CODEC_MULAW],
  ] as const)('%s on a call of the other law keeps its tone', (encoding, wire) => {
    const one = player(wire);
    const queued = new Uint8Array(1600);
    encodeMulaw(tone(440, 1600), 0, 1600, queued);
    if (encoding === 'alaw') {
      const alaw = player(CODEC_ALAW);
      alaw.downlink.play(0, 0, MULAW, queued);
      queued.set(drain(alaw));
    }
    one.downlink.play(0, 0, { encoding, sampleRateHz: 8000 }, queued);
    const out = drain(one);
    const samples = new Int16Array(out.length);
    if (wire === CODEC_ALAW) decodeAlaw(out, 0, out.length, samples);
    else decodeMulaw(out, 0, out.length, samples);
    expect(out).toHaveLength(1600);
    expect(toneShare(samples, 440)).toBeGreaterThan(0.99);
  });

  test.each(LINEAR16_RATES_HZ.filter((rate) => rate !== 8_000))(
    'linear16 at %d Hz keeps its tone and its length, to the segment’s last sample',
    (rate) => {
      const one = player();
      one.downlink.play(2, 0, { encoding: 'linear16', sampleRateHz: rate }, linearBytes(tone(1000, rate, rate)));
      one.downlink.endSegment(2, 0);
      one.downlink.play(2, 1, MULAW, numbered(10));
      const out = drain(one);
      const samples = new Int16Array(7990);
      decodeMulaw(out, 0, 7990, samples);
      expect(toneShare(samples, 1000)).toBeGreaterThan(0.98);
      const ended = one.events.find((event) => event.type === 'segment_ended');
      expect(ended).toMatchObject({ utterance: 2, segment: 0 });
      expect(Math.abs((ended?.type === 'segment_ended' ? ended.playedMs : 0) - 1000)).toBeLessThanOrEqual(1);
    },
  );

  test.each([32_000, 44_100])(
    'linear16 at %d Hz loses what the line cannot carry, instead of folding it over',
    (rate) => {
      const one = player();
      one.downlink.play(0, 0, { encoding: 'linear16', sampleRateHz: rate }, linearBytes(tone(6_000, rate / 2, rate)));
      const out = drain(one);
      const samples = new Int16Array(out.length);
      decodeMulaw(out, 0, out.length, samples);
      // Behind the beginning, where a tone is a step too: 40 dB below its 16,000.
      expect(Math.max(...samples.subarray(100, 3_900).map(Math.abs))).toBeLessThan(160);
    },
  );

  test.each([
    { encoding: 'linear16', sampleRateHz: 11_025 },
    { encoding: 'mulaw', sampleRateHz: 16_000 },
    { encoding: 'alaw', sampleRateHz: 0 },
  ] as const)('$encoding at $sampleRateHz Hz is refused by name', (format) => {
    const { downlink } = player();
    expect(() => downlink.play(0, 0, format, new Uint8Array(10))).toThrow(format.encoding);
  });
});

describe('a full downlink', () => {
  test('takes one piece of any size, refuses the next, and tells once when there is room again', () => {
    const one = player();
    const whole = numbered(300_000);
    expect(one.downlink.play(0, 0, MULAW, whole)).toBe(true);
    expect(one.downlink.play(0, 0, MULAW, numbered(10))).toBe(false);
    one.downlink.endSegment(0, 0);
    const packets: Uint8Array[] = [];
    let drained = 0;
    for (let i = 0; i < 2100; i++) {
      packets.push(one.packet());
      if (one.downlink.refill()) drained++;
    }
    expect(Uint8Array.from(Buffer.concat(packets))).toEqual(whole);
    expect(drained).toBe(1);
    expect(one.events.at(-1)).toEqual({ type: 'segment_ended', utterance: 0, segment: 0, playedMs: 37_500 });
    expect(one.downlink.play(0, 1, MULAW, numbered(10))).toBe(true);
  });

  test('the waiting piece is a copy: its giver may use the bytes again', () => {
    const one = player();
    const audio = new Uint8Array(100_000).fill(1);
    one.downlink.play(0, 0, MULAW, audio);
    audio.fill(2);
    let heard = 0;
    for (let i = 0; i < 700; i++) {
      heard += one.packet().filter((code) => code === 1).length;
      one.downlink.refill();
    }
    expect(heard).toBe(100_000);
  });

  test('a clear makes room: what waited is gone and the next utterance is taken', () => {
    const one = player();
    one.downlink.play(0, 0, MULAW, numbered(300_000));
    expect(one.downlink.play(1, 0, MULAW, numbered(160, 9))).toBe(false);
    Atomics.store(one.memory.control, CLEARED, 0);
    one.downlink.clear(0);
    one.playout.discardCleared();
    expect(one.downlink.refill()).toBe(true);
    expect(one.downlink.play(1, 0, MULAW, numbered(160, 9))).toBe(true);
    expect(Uint8Array.from(drain(one))).toEqual(numbered(160, 9));
  });
});
