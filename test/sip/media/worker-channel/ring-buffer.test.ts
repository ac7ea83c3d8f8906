import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AudioFrame,
  createAudioFrame,
  FRAME_HEADER_BYTES,
  readFrameHeader,
  writeFrameHeader,
} from '../../../../sip/media/worker-channel/audio-frame.ts';
import { frameBytes, RingBuffer } from '../../../../sip/media/worker-channel/ring-buffer.ts';
import { stressRing } from './ring-buffer-stress.ts';

const CAPACITY = 512;

function pair(start = 0): { producer: RingBuffer; consumer: RingBuffer } {
  const memory = new SharedArrayBuffer(RingBuffer.byteLength(CAPACITY));
  const words = new Int32Array(memory);
  words[0] = start;
  words[16] = start;
  return { producer: new RingBuffer(memory, 0, CAPACITY), consumer: new RingBuffer(memory, 0, CAPACITY) };
}

function frameOf(serial: number, length: number): AudioFrame {
  return Object.assign(createAudioFrame(), {
    length,
    slot: serial & 0xffff,
    generation: serial,
    agentSamples: serial,
  });
}

function payloadOf(serial: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (serial * 31 + i) & 0xff);
}

/** Start indices at 0, just below the change of sign, and just below the wrap. */
const starts = fc.constantFrom(0, 0x7ffffff0, -64, -4);
const operations = fc.array(fc.oneof(fc.nat(CAPACITY + 8), fc.constant('take' as const)), { maxLength: 200 });

describe('frame header', () => {
  it('is read back as written, even across the end of the ring', () => {
    const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    const byte = fc.nat(255);
    fc.assert(
      fc.property(
        fc.tuple(word, fc.nat(65_535), byte, byte, word, word, word, word, word),
        fc.nat(15),
        (fields, index) => {
          const [length, slot, kind, codec, generation, rateHz, agentSamples, utterance, segment] = fields;
          const frame = { length, slot, kind, codec, generation, rateHz, agentSamples, utterance, segment };
          const words = new Int32Array(16);
          writeFrameHeader(words, index, 15, frame);
          const into = createAudioFrame();
          readFrameHeader(words, index, 15, into);
          expect(into).toEqual(frame);
        },
      ),
    );
  });
});

describe('ring buffer that refuses when full', () => {
  it('returns every accepted frame, complete and in order', () => {
    fc.assert(
      fc.property(starts, operations, (start, steps) => {
        const { producer, consumer } = pair(start);
        const model: { serial: number; length: number }[] = [];
        const head = createAudioFrame();
        let used = 0;
        steps.forEach((step, serial) => {
          if (step === 'take') {
            const expected = model.shift();
            expect(consumer.peek(head)).toBe(expected !== undefined);
            if (expected === undefined) return;
            const payload = new Uint8Array(expected.length);
            consumer.copy(0, payload, 0, expected.length);
            expect(head).toMatchObject({ generation: expected.serial, length: expected.length });
            expect(payload).toEqual(payloadOf(expected.serial, expected.length));
            consumer.shift();
            used -= frameBytes(expected.length);
            return;
          }
          const fits = used + frameBytes(step) <= CAPACITY;
          expect(producer.push(frameOf(serial, step), payloadOf(serial, step), 0)).toBe(fits);
          if (!fits) return;
          used += frameBytes(step);
          model.push({ serial, length: step });
          expect(consumer.used).toBe(used);
        });
      }),
    );
  });

  it('room is the longest payload that fits', () => {
    fc.assert(
      fc.property(fc.nat(CAPACITY - FRAME_HEADER_BYTES), (length) => {
        const { producer } = pair();
        producer.push(frameOf(1, length), payloadOf(1, length), 0);
        const { room } = producer;
        if (room < 0) return;
        expect(producer.push(frameOf(2, room + 4), new Uint8Array(room + 4), 0)).toBe(false);
        expect(producer.push(frameOf(2, room), new Uint8Array(room), 0)).toBe(true);
      }),
    );
  });

  it('copies a part of a payload without removing the frame', () => {
    const { producer, consumer } = pair(-8);
    producer.push(frameOf(1, 100), payloadOf(1, 100), 0);
    const part = new Uint8Array(10);
    expect(consumer.peek(createAudioFrame())).toBe(true);
    consumer.copy(50, part, 0, 10);
    expect(part).toEqual(payloadOf(1, 100).slice(50, 60));
    expect(consumer.used).toBe(frameBytes(100));
  });

  it.each([0, 63, 100, -1, 2 ** 31])('throws for capacity %d', (capacity) => {
    expect(() => new RingBuffer(new SharedArrayBuffer(4096), 0, capacity)).toThrow(RangeError);
  });
});

describe('ring buffer that drops its oldest frames', () => {
  it('keeps the newest frames that fit, in order, and counts the dropped ones', () => {
    fc.assert(
      fc.property(starts, operations, (start, steps) => {
        const { producer, consumer } = pair(start);
        const model: { serial: number; length: number }[] = [];
        const frame = createAudioFrame();
        const target = new Uint8Array(CAPACITY);
        let used = 0;
        let dropped = 0;
        steps.forEach((step, serial) => {
          if (step === 'take') {
            const expected = model.shift();
            expect(consumer.take(frame, target)).toBe(expected !== undefined);
            if (expected === undefined) return;
            expect(frame).toMatchObject({ generation: expected.serial, length: expected.length });
            expect(target.slice(0, expected.length)).toEqual(payloadOf(expected.serial, expected.length));
            used -= frameBytes(expected.length);
            return;
          }
          const before = dropped;
          if (frameBytes(step) > CAPACITY) dropped++;
          else {
            model.push({ serial, length: step });
            used += frameBytes(step);
            for (; used > CAPACITY; dropped++) used -= frameBytes(model.shift()?.length ?? 0);
          }
          expect(producer.pushOverOldest(frameOf(serial, step), payloadOf(serial, step), 0)).toBe(dropped - before);
          expect(consumer.dropped).toBe(dropped);
        });
      }),
    );
  });

  it('skips a payload that is longer than the target', () => {
    const { producer, consumer } = pair();
    producer.pushOverOldest(frameOf(1, 50), payloadOf(1, 50), 0);
    producer.pushOverOldest(frameOf(2, 10), payloadOf(2, 10), 0);
    const frame = createAudioFrame();
    expect(consumer.take(frame, new Uint8Array(20))).toBe(true);
    expect(frame.generation).toBe(2);
  });
});

describe('ring buffer between two threads', () => {
  it('delivers every frame, complete and in order, if it refuses when full', async () => {
    const { taken, torn, disordered, last } = await stressRing({ capacity: 2048, frames: 60_000, drop: false });
    expect({ taken, torn, disordered, last }).toEqual({ taken: 60_000, torn: 0, disordered: 0, last: 59_999 });
  });

  it('delivers frames complete and in order, and counts all others, if it drops its oldest', async () => {
    const { taken, dropped, torn, disordered, last } = await stressRing({
      capacity: 1024,
      frames: 200_000,
      drop: true,
    });
    expect({ torn, disordered, last }).toEqual({ torn: 0, disordered: 0, last: 199_999 });
    expect(taken + dropped).toBe(200_000);
    expect(dropped).toBeGreaterThan(0);
  });
});
