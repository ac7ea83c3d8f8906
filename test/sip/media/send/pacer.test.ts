import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PACKET_INTERVAL_MS, Pacer } from '../../../../sip/media/send/pacer.ts';
import { seededRandom } from '../../../seeded-random.ts';

interface PacerEvent {
  readonly call: number;
  readonly atMs: number;
  readonly lateMs: number;
  readonly skipped: number;
}

/** A pacer on a simulated clock, and a record of its events. */
function simulatedPacer(originMs = 0) {
  const pacerEvents: PacerEvent[] = [];
  const clock = { nowMs: originMs };
  const pacer = new Pacer(originMs, {
    due: (call, lateMs) => pacerEvents.push({ call, atMs: clock.nowMs, lateMs, skipped: 0 }),
    skipped: (call, frames) => pacerEvents.push({ call, atMs: clock.nowMs, lateMs: 0, skipped: frames }),
  });
  const wake = (nowMs: number) => {
    clock.nowMs = nowMs;
    while (pacer.tick(nowMs)) {
      // Process all due ticks.
    }
  };
  return { pacer, pacerEvents, wake };
}

describe('pacer', () => {
  it('sends exactly 180,000 packets in an hour, with irregular wake-ups', () => {
    let sent = 0;
    const pacer = new Pacer(0, { due: () => sent++, skipped: () => expect.unreachable() });
    pacer.add(7, 0);
    // Random intervals of 0.3 to 30 ms between wake-ups, from a fixed seed.
    const random = seededRandom(1);
    for (let now = 0; now < 3_600_000; ) {
      now = Math.min(3_600_000 - 0.001, now + 0.3 + random() * 29.7);
      while (pacer.tick(now));
      if (now === 3_600_000 - 0.001) break;
    }
    expect(sent).toBe(180_000);
  });

  it('does not accumulate lateness: packets are due every 20 ms on an absolute clock', () => {
    const { pacer, pacerEvents, wake } = simulatedPacer(1000.25);
    pacer.add(1, 1000.25);
    for (let i = 0; i < 100; i++) wake(1000.25 + i * PACKET_INTERVAL_MS + 3);
    expect(pacerEvents).toHaveLength(100);
    for (const { lateMs } of pacerEvents) expect(lateMs).toBeCloseTo(3, 6);
  });

  it('puts a new call into the emptiest slot: forty calls are spread two per millisecond', () => {
    const { pacer, pacerEvents, wake } = simulatedPacer();
    for (let call = 0; call < 40; call++) pacer.add(call, 0);
    for (let ms = 0; ms < PACKET_INTERVAL_MS; ms++) wake(ms);
    const perMs = Array.from(
      { length: PACKET_INTERVAL_MS },
      (_, ms) => pacerEvents.filter(({ atMs }) => atMs === ms).length,
    );
    expect(perMs).toEqual(new Array(PACKET_INTERVAL_MS).fill(2));
  });

  it('gives a freed slot to the next call', () => {
    const { pacer, pacerEvents, wake } = simulatedPacer();
    for (let call = 0; call < 20; call++) pacer.add(call, 0);
    pacer.remove(13);
    pacer.add(99, 0);
    wake(13);
    expect(pacerEvents.at(-1)).toMatchObject({ call: 99, lateMs: 0 });
  });

  it('sends packets up to two frames late, and skips later ones', () => {
    const { pacer, pacerEvents, wake } = simulatedPacer();
    pacer.add(1, 0);
    wake(0);
    wake(39.9);
    expect(pacerEvents.map(({ skipped }) => skipped)).toEqual([0, 0]);
    wake(1000);
    const late = pacerEvents.slice(2);
    expect(late[0]?.skipped).toBe(46);
    expect(late.slice(1).map(({ lateMs }) => lateMs)).toEqual([40, 20, 0]);
  });

  it('sends or skips each packet exactly once, when it is due', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.1, max: 300, noNaN: true }), { minLength: 1, maxLength: 100 }),
        fc.integer({ min: 1, max: 45 }),
        (steps, calls) => {
          const { pacer, pacerEvents, wake } = simulatedPacer();
          for (let call = 0; call < calls; call++) pacer.add(call, 0);
          let now = 0;
          for (const step of steps) {
            now += step;
            wake(now);
          }
          for (let call = 0; call < calls; call++) {
            const phase = call % PACKET_INTERVAL_MS;
            const counted = pacerEvents
              .filter((event) => event.call === call)
              .reduce((sum, { skipped }) => sum + (skipped === 0 ? 1 : skipped), 0);
            expect(counted).toBe(now < phase ? 0 : Math.floor((now - phase) / PACKET_INTERVAL_MS) + 1);
          }
          for (const { lateMs } of pacerEvents) expect(lateMs).toBeLessThanOrEqual(2 * PACKET_INTERVAL_MS);
        },
      ),
    );
  });

  it('a call removed in its own tick is not due again, and all other calls stay due', () => {
    const due: number[] = [];
    const pacer: Pacer = new Pacer(0, {
      due: (call) => {
        due.push(call);
        if (call === 20) pacer.remove(20);
      },
      skipped: () => undefined,
    });
    for (const call of [0, 20, 40]) {
      pacer.add(call, 0);
      if (call < 40) for (let i = 1; i < PACKET_INTERVAL_MS; i++) pacer.add(call + i, 0);
    }
    while (pacer.tick(0));
    while (pacer.tick(20));
    expect(due.filter((call) => call % 20 === 0)).toEqual([40, 20, 0, 40, 0]);
  });

  it('skips no frames for the time without calls', () => {
    const { pacer, pacerEvents, wake } = simulatedPacer();
    pacer.add(1, 0);
    wake(0);
    pacer.remove(1);
    wake(5000);
    pacer.add(2, 100_000);
    wake(100_019);
    expect(pacerEvents.map(({ call, skipped }) => ({ call, skipped }))).toEqual([
      { call: 1, skipped: 0 },
      { call: 2, skipped: 0 },
    ]);
  });
});
