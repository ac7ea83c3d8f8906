import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DtmfReceiver } from '../../../../sip/rtp/dtmf/dtmf-receiver.ts';
import { DtmfSender } from '../../../../sip/rtp/dtmf/dtmf-sender.ts';
import {
  createTelephoneEvent,
  decodeTelephoneEvent,
  digitOfEvent,
  encodeTelephoneEvent,
  eventOfDigit,
} from '../../../../sip/rtp/dtmf/telephone-event.ts';

function receiver() {
  const digits: [string, number][] = [];
  const dtmf = new DtmfReceiver(8000, (digit, durationMs) => digits.push([digit, durationMs]));
  const take = (event: number, timestamp: number, duration: number, end = false, nowMs = 0) =>
    dtmf.receive({ event, end, volume: 10, duration }, timestamp >>> 0, nowMs);
  return { digits, dtmf, take };
}

interface Planned {
  readonly tick: number;
  readonly marker: boolean;
  readonly timestamp: number;
  readonly event: number;
  readonly end: boolean;
  readonly duration: number;
}

function plan(digits: string, ticks: number, start = 1000): Planned[] {
  const sender = new DtmfSender();
  sender.start(digits);
  const planned: Planned[] = [];
  for (let tick = 0; tick < ticks; tick++) {
    if (!sender.next((start + tick * 160) >>> 0)) continue;
    const event = createTelephoneEvent();
    decodeTelephoneEvent(sender.payload, 0, 4, event);
    planned.push({ tick, marker: sender.marker, timestamp: sender.timestamp, ...event });
  }
  expect(sender.busy).toBe(false);
  return planned;
}

describe('telephone events', () => {
  it('decode to what was encoded', () => {
    const fields = fc.record({
      event: fc.integer({ min: 0, max: 255 }),
      end: fc.boolean(),
      volume: fc.integer({ min: 0, max: 63 }),
      duration: fc.integer({ min: 0, max: 0xffff }),
    });
    fc.assert(
      fc.property(fields, fc.integer({ min: 0, max: 8 }), (event, offset) => {
        const bytes = new Uint8Array(offset + 4);
        encodeTelephoneEvent(bytes, offset, event);
        const into = createTelephoneEvent();
        expect(decodeTelephoneEvent(bytes, offset, 4, into)).toBe(true);
        expect(into).toEqual(event);
      }),
    );
  });

  it('are refused when shorter than four bytes or outside of their buffer', () => {
    expect(decodeTelephoneEvent(new Uint8Array(3), 0, 3, createTelephoneEvent())).toBe(false);
    expect(decodeTelephoneEvent(new Uint8Array(4), 1, 4, createTelephoneEvent())).toBe(false);
  });

  it('name the sixteen digits and nothing else', () => {
    for (const digit of '0123456789*#ABCD') expect(digitOfEvent(eventOfDigit(digit) ?? -1)).toBe(digit);
    expect(eventOfDigit('d')).toBe(15);
    for (const other of ['', 'E', ' ', '12', '+']) expect(eventOfDigit(other)).toBeNull();
    expect(digitOfEvent(16)).toBeNull();
  });
});

describe('received digits', () => {
  it('are one digit at the end, although the end packet comes three times', () => {
    const { digits, take } = receiver();
    for (const duration of [160, 320, 480]) take(5, 1000, duration);
    expect(digits).toEqual([]);
    for (let i = 0; i < 3; i++) take(5, 1000, 640, true);
    expect(digits).toEqual([['5', 80]]);
  });

  it('are a digit where only an end packet arrived', () => {
    const { digits, take } = receiver();
    take(11, 1000, 800, true);
    expect(digits).toEqual([['#', 100]]);
  });

  it('are a digit where every end packet was lost: at the next event, or after a silence', () => {
    const { digits, dtmf, take } = receiver();
    take(1, 1000, 320, false, 0);
    take(2, 3000, 160, false, 250);
    expect(digits).toEqual([['1', 40]]);
    dtmf.tick(399);
    expect(digits).toHaveLength(1);
    dtmf.tick(400);
    expect(digits).toEqual([
      ['1', 40],
      ['2', 20],
    ]);
    take(2, 3000, 480, true, 420);
    expect(digits).toHaveLength(2);
  });

  it('are two where the same key is pressed twice', () => {
    const { digits, take } = receiver();
    take(7, 1000, 800, true);
    take(7, 2600, 800, true);
    expect(digits.map(([digit]) => digit)).toEqual(['7', '7']);
  });

  it('are not reported again after a late packet of an earlier event', () => {
    const { digits, take } = receiver();
    take(1, 1000, 800, true);
    take(2, 3000, 160);
    take(1, 1000, 800, true);
    take(2, 3000, 800, true);
    expect(digits.map(([digit]) => digit)).toEqual(['1', '2']);
  });

  it('are one where a long press runs over segments', () => {
    const { digits, take } = receiver();
    take(3, 1000, 0xfff0);
    take(3, 1000 + 0xffff, 160);
    take(3, 1000, 0xffff);
    take(3, 1000 + 0xffff, 1601, true);
    expect(digits).toEqual([['3', 8392]]);
  });

  it('are one where the duration goes over its end under one timestamp', () => {
    const { digits, take } = receiver();
    for (const duration of [160, 0x9000, 0xfff0, 160, 320]) take(3, 1000, duration);
    take(3, 1000, 480, true);
    expect(digits).toEqual([['3', (0x10000 + 480) / 8]]);
  });

  it('are one where the sender begins a segment before the field is full, and two where time passed between them', () => {
    const { digits, take } = receiver();
    take(3, 1000, 8000);
    take(3, 9000, 160);
    take(3, 9000, 800, true);
    expect(digits).toEqual([['3', 1100]]);
    take(4, 20_000, 800);
    take(4, 21_200, 160);
    take(4, 21_200, 800, true);
    expect(digits.slice(1)).toEqual([
      ['4', 100],
      ['4', 100],
    ]);
  });

  it('are one where each packet of the event has a timestamp of its own', () => {
    const { digits, take } = receiver();
    for (const step of [1, 2, 3, 4]) take(6, 1000 + step * 160, step * 160);
    take(6, 1000 + 5 * 160, 5 * 160, true);
    take(6, 1000 + 5 * 160, 5 * 160, true);
    expect(digits).toEqual([['6', 100]]);
  });

  it('are one where the stream restarts while the key is held, or between its three end packets', () => {
    const { digits, dtmf, take } = receiver();
    take(8, 50_000, 320, false, 0);
    dtmf.reset();
    take(8, 7, 480, false, 20);
    take(8, 7, 800, true, 60);
    dtmf.reset();
    take(8, 0xffff_0000, 800, true, 80);
    take(8, 0xffff_0000, 800, true, 100);
    expect(digits).toEqual([['8', 100]]);
  });

  it('are two where the stream restarts and the key is pressed again', () => {
    const { digits, dtmf, take } = receiver();
    take(8, 50_000, 800, false, 0);
    dtmf.reset();
    take(8, 7, 160, false, 100);
    expect(digits).toEqual([['8', 100]]);
    take(8, 7, 400, true, 130);
    dtmf.reset();
    take(9, 100, 400, true, 150);
    dtmf.reset();
    take(9, 900, 400, true, 400);
    expect(digits.map(([digit]) => digit).join('')).toBe('8899');
  });

  it('are reported where the stream restarted without the event, and at the end of the call', () => {
    const { digits, dtmf, take } = receiver();
    take(1, 1000, 320, false, 0);
    dtmf.reset();
    dtmf.tick(150);
    expect(digits).toEqual([['1', 40]]);
    take(2, 5000, 320, false, 400);
    dtmf.close();
    dtmf.close();
    expect(digits).toHaveLength(2);
  });

  it('ignore events that are no digits', () => {
    const { digits, take } = receiver();
    take(16, 1000, 800, true);
    take(70, 3000, 800, true);
    expect(digits).toEqual([]);
  });

  it('go on over the wrap of timestamps, and after a restart with earlier ones', () => {
    const { digits, dtmf, take } = receiver();
    take(1, 0xffff_fff0, 800, true);
    take(2, 0x0000_0800, 800, true);
    dtmf.reset();
    take(3, 0x8000_0000, 800, true);
    expect(digits.map(([digit]) => digit)).toEqual(['1', '2', '3']);
  });
});

describe('sent digits', () => {
  it('begin with a marker, grow each 20 ms, and end three times', () => {
    const packets = plan('5', 40);
    expect(packets.map(({ marker }) => marker)).toEqual([true, ...new Array(6).fill(false)]);
    expect(packets.map(({ duration }) => duration)).toEqual([160, 320, 480, 640, 800, 800, 800]);
    expect(packets.map(({ end }) => end)).toEqual([false, false, false, false, true, true, true]);
    expect(new Set(packets.map(({ timestamp }) => timestamp))).toEqual(new Set([1000]));
  });

  it('leave a pause of 100 ms between them', () => {
    const starts = plan('12', 40).filter(({ marker }) => marker);
    expect(starts.map(({ tick }) => tick)).toEqual([0, 10]);
    expect(starts.map(({ timestamp }) => timestamp)).toEqual([1000, 1000 + 10 * 160]);
  });

  it('are bounded, and leave out what is no digit', () => {
    const sender = new DtmfSender();
    expect(sender.start('1x2')).toBe(true);
    expect(sender.start('3'.repeat(63))).toBe(false);
    expect(new DtmfSender().next(0)).toBe(false);
  });

  it('reach a receiver as they were, whichever packets are lost as long as one of each arrives', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789*#ABCD'), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        digits,
        fc.infiniteStream(fc.boolean()),
        fc.integer({ min: 0, max: 0xffffffff }),
        (text, losses, start) => {
          const { digits, dtmf } = receiver();
          const arrived = new Set<number>();
          const packets = plan(text, text.length * 10 + 1, start);
          packets.forEach((packet, index) => {
            const lastChance = packets[index + 1]?.timestamp !== packet.timestamp && !arrived.has(packet.timestamp);
            if (losses.next().value && !lastChance) return;
            arrived.add(packet.timestamp);
            dtmf.receive({ ...packet, volume: 10 }, packet.timestamp, packet.tick * 20);
            dtmf.tick(packet.tick * 20);
          });
          dtmf.tick(1_000_000);
          expect(digits.map(([digit]) => digit).join('')).toBe(text);
        },
      ),
    );
  });
});

describe('the pauses of a dialling string', () => {
  it('take half a second and two, send nothing, and leave the keys around them as they are', () => {
    const keys = (digits: string) =>
      plan(digits, 400)
        .filter(({ marker }) => marker)
        .map(({ tick, event }) => [event, tick]);
    // A key and the pause behind it are ten ticks of 20 ms.
    expect(keys('12')).toEqual([
      [1, 0],
      [2, 10],
    ]);
    expect(keys('1w2')).toEqual([
      [1, 0],
      [2, 35],
    ]);
    expect(keys(',1ww2')).toEqual([
      [1, 100],
      [2, 160],
    ]);
  });
});
