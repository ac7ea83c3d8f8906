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
  const receive = (event: number, timestamp: number, duration: number, end = false, nowMs = 0) =>
    dtmf.receive({ event, end, volume: 10, duration }, timestamp >>> 0, nowMs);
  return { digits, dtmf, receive };
}

interface PlannedPacket {
  readonly tick: number;
  readonly marker: boolean;
  readonly timestamp: number;
  readonly event: number;
  readonly end: boolean;
  readonly duration: number;
}

function planPackets(digits: string, ticks: number, start = 1000): PlannedPacket[] {
  const sender = new DtmfSender();
  sender.start(digits);
  const planned: PlannedPacket[] = [];
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
  it('are decoded as encoded', () => {
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

  it('are rejected if shorter than four bytes or beyond the end of the buffer', () => {
    expect(decodeTelephoneEvent(new Uint8Array(3), 0, 3, createTelephoneEvent())).toBe(false);
    expect(decodeTelephoneEvent(new Uint8Array(4), 1, 4, createTelephoneEvent())).toBe(false);
  });

  it('map to the sixteen digits and to nothing else', () => {
    for (const digit of '0123456789*#ABCD') expect(digitOfEvent(eventOfDigit(digit) ?? -1)).toBe(digit);
    expect(eventOfDigit('d')).toBe(15);
    for (const other of ['', 'E', ' ', '12', '+']) expect(eventOfDigit(other)).toBeNull();
    expect(digitOfEvent(16)).toBeNull();
  });
});

describe('DTMF receiver', () => {
  it('emits one digit at its end, although the end packet arrives three times', () => {
    const { digits, receive } = receiver();
    for (const duration of [160, 320, 480]) receive(5, 1000, duration);
    expect(digits).toEqual([]);
    for (let i = 0; i < 3; i++) receive(5, 1000, 640, true);
    expect(digits).toEqual([['5', 80]]);
  });

  it('emits a digit if only an end packet arrives', () => {
    const { digits, receive } = receiver();
    receive(11, 1000, 800, true);
    expect(digits).toEqual([['#', 100]]);
  });

  it('emits a digit without its end packets, at the next event or after 150 ms', () => {
    const { digits, dtmf, receive } = receiver();
    receive(1, 1000, 320, false, 0);
    receive(2, 3000, 160, false, 250);
    expect(digits).toEqual([['1', 40]]);
    dtmf.tick(399);
    expect(digits).toHaveLength(1);
    dtmf.tick(400);
    expect(digits).toEqual([
      ['1', 40],
      ['2', 20],
    ]);
    receive(2, 3000, 480, true, 420);
    expect(digits).toHaveLength(2);
  });

  it('emits two digits if the same digit is sent twice', () => {
    const { digits, receive } = receiver();
    receive(7, 1000, 800, true);
    receive(7, 2600, 800, true);
    expect(digits.map(([digit]) => digit)).toEqual(['7', '7']);
  });

  it('ignores a late packet of an earlier event', () => {
    const { digits, receive } = receiver();
    receive(1, 1000, 800, true);
    receive(2, 3000, 160);
    receive(1, 1000, 800, true);
    receive(2, 3000, 800, true);
    expect(digits.map(([digit]) => digit)).toEqual(['1', '2']);
  });

  it('emits one digit for an event of several segments', () => {
    const { digits, receive } = receiver();
    receive(3, 1000, 0xfff0);
    receive(3, 1000 + 0xffff, 160);
    receive(3, 1000, 0xffff);
    receive(3, 1000 + 0xffff, 1601, true);
    expect(digits).toEqual([['3', 8392]]);
  });

  it('emits one digit if the duration wraps within one timestamp', () => {
    const { digits, receive } = receiver();
    for (const duration of [160, 0x9000, 0xfff0, 160, 320]) receive(3, 1000, duration);
    receive(3, 1000, 480, true);
    expect(digits).toEqual([['3', (0x10000 + 480) / 8]]);
  });

  it('joins a segment that starts before the duration is full, but not after a gap', () => {
    const { digits, receive } = receiver();
    receive(3, 1000, 8000);
    receive(3, 9000, 160);
    receive(3, 9000, 800, true);
    expect(digits).toEqual([['3', 1100]]);
    receive(4, 20_000, 800);
    receive(4, 21_200, 160);
    receive(4, 21_200, 800, true);
    expect(digits.slice(1)).toEqual([
      ['4', 100],
      ['4', 100],
    ]);
  });

  it('emits one digit if each packet of the event has its own timestamp', () => {
    const { digits, receive } = receiver();
    for (const step of [1, 2, 3, 4]) receive(6, 1000 + step * 160, step * 160);
    receive(6, 1000 + 5 * 160, 5 * 160, true);
    receive(6, 1000 + 5 * 160, 5 * 160, true);
    expect(digits).toEqual([['6', 100]]);
  });

  it('emits one digit if the stream restarts during the event or between its end packets', () => {
    const { digits, dtmf, receive } = receiver();
    receive(8, 50_000, 320, false, 0);
    dtmf.reset();
    receive(8, 7, 480, false, 20);
    receive(8, 7, 800, true, 60);
    dtmf.reset();
    receive(8, 0xffff_0000, 800, true, 80);
    receive(8, 0xffff_0000, 800, true, 100);
    expect(digits).toEqual([['8', 100]]);
  });

  it('emits two digits if the stream restarts and the same digit is sent again', () => {
    const { digits, dtmf, receive } = receiver();
    receive(8, 50_000, 800, false, 0);
    dtmf.reset();
    receive(8, 7, 160, false, 100);
    expect(digits).toEqual([['8', 100]]);
    receive(8, 7, 400, true, 130);
    dtmf.reset();
    receive(9, 100, 400, true, 150);
    dtmf.reset();
    receive(9, 900, 400, true, 400);
    expect(digits.map(([digit]) => digit).join('')).toBe('8899');
  });

  it('emits the current digit if the event does not continue after a restart, and at the end of the call', () => {
    const { digits, dtmf, receive } = receiver();
    receive(1, 1000, 320, false, 0);
    dtmf.reset();
    dtmf.tick(150);
    expect(digits).toEqual([['1', 40]]);
    receive(2, 5000, 320, false, 400);
    dtmf.close();
    dtmf.close();
    expect(digits).toHaveLength(2);
  });

  it('ignores events that are not digits', () => {
    const { digits, receive } = receiver();
    receive(16, 1000, 800, true);
    receive(70, 3000, 800, true);
    expect(digits).toEqual([]);
  });

  it('continues over the wrap of timestamps, and after a restart with earlier timestamps', () => {
    const { digits, dtmf, receive } = receiver();
    receive(1, 0xffff_fff0, 800, true);
    receive(2, 0x0000_0800, 800, true);
    dtmf.reset();
    receive(3, 0x8000_0000, 800, true);
    expect(digits.map(([digit]) => digit)).toEqual(['1', '2', '3']);
  });
});

describe('DTMF sender', () => {
  it('starts an event with a marker, extends it every 20 ms, and sends three end packets', () => {
    const packets = planPackets('5', 40);
    expect(packets.map(({ marker }) => marker)).toEqual([true, ...new Array(6).fill(false)]);
    expect(packets.map(({ duration }) => duration)).toEqual([160, 320, 480, 640, 800, 800, 800]);
    expect(packets.map(({ end }) => end)).toEqual([false, false, false, false, true, true, true]);
    expect(new Set(packets.map(({ timestamp }) => timestamp))).toEqual(new Set([1000]));
  });

  it('pauses 100 ms between digits', () => {
    const starts = planPackets('12', 40).filter(({ marker }) => marker);
    expect(starts.map(({ tick }) => tick)).toEqual([0, 10]);
    expect(starts.map(({ timestamp }) => timestamp)).toEqual([1000, 1000 + 10 * 160]);
  });

  it('has a bounded queue, and ignores other characters', () => {
    const sender = new DtmfSender();
    expect(sender.start('1x2')).toBe(true);
    expect(sender.start('3'.repeat(63))).toBe(false);
    expect(new DtmfSender().next(0)).toBe(false);
  });

  it('sends digits that a receiver decodes if one packet of each arrives', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789*#ABCD'), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        digits,
        fc.infiniteStream(fc.boolean()),
        fc.integer({ min: 0, max: 0xffffffff }),
        (text, losses, start) => {
          const { digits, dtmf } = receiver();
          const arrived = new Set<number>();
          const packets = planPackets(text, text.length * 10 + 1, start);
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

describe('pauses of a dialling string', () => {
  it('last half a second for w and two seconds for a comma', () => {
    const startsOf = (digits: string) =>
      planPackets(digits, 400)
        .filter(({ marker }) => marker)
        .map(({ tick, event }) => [event, tick]);
    // A digit and the pause after it are ten ticks of 20 ms.
    expect(startsOf('12')).toEqual([
      [1, 0],
      [2, 10],
    ]);
    expect(startsOf('1w2')).toEqual([
      [1, 0],
      [2, 35],
    ]);
    expect(startsOf(',1ww2')).toEqual([
      [1, 100],
      [2, 160],
    ]);
  });
});
