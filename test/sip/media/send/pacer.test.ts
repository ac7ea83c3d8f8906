import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PACKET_INTERVAL_MS, Pacer } from '../../../../sip/media/send/pacer.ts';

interface PacerEvent {
  readonly call: number;
  readonly atMs: number;
  readonly lateMs: number;
  readonly skipped: number;
}

/** A pacer on a simulated clock, and a record of its events. */
function simulated(originMs = 0) {
  const pacerEvents: PacerEvent[] = [];
  const clock = { nowMs: originMs };
  const pacer = new Pacer(originMs, {
    due: (call, lateMs) => pacerEvents.push({ call, atMs: clock.nowMs, lateMs, skipped: 0 }),
    skipped: (call, frames) => pacerEvents.push({ call, atMs: clock.nowMs, lateMs: 0, skipped: frames }),
  });
  const wake = (nowMs: number) => {
    clock.nowMs = nowMs;
    while (pacer.turn(nowMs)) {
      // Everything that is due.
    }
  };
  return { pacer, pacerEvents, wake };
}

describe('the pacer', () => {
  test('an hour holds exactly 180,000 packets, whatever the wake-ups are like', () => {
    let sent = 0;
    const pacer = new Pacer(0, { due: () => sent++, skipped: () => expect.unreachable() });
    pacer.add(7, 0);
    // Wake-ups that wander between 0.3 and 30 ms, from a fixed seed.
    let seed = 1;
    for (let now = 0; now < 3_600_000; ) {
      seed = (seed * 48_271) % 0x7fffffff;
      now = Math.min(3_600_000 - 0.001, now + 0.3 + (seed / 0x7fffffff) * 29.7);
      while (pacer.turn(now));
      if (now === 3_600_000 - 0.001) break;
    }
    expect(sent).toBe(180_000);
  });

  test('each packet is due 20 ms after the one before on the absolute clock: lateness does not add up', () => {
    const { pacer, pacerEvents, wake } = simulated(1000.25);
    pacer.add(1, 1000.25);
    for (let i = 0; i < 100; i++) wake(1000.25 + i * PACKET_INTERVAL_MS + 3);
    expect(pacerEvents).toHaveLength(100);
    for (const { lateMs } of pacerEvents) expect(lateMs).toBeCloseTo(3, 6);
  });

  test('new calls go into the emptiest slot: forty calls lie two to a millisecond', () => {
    const { pacer, pacerEvents, wake } = simulated();
    for (let call = 0; call < 40; call++) pacer.add(call, 0);
    for (let ms = 0; ms < PACKET_INTERVAL_MS; ms++) wake(ms);
    const perMs = Array.from(
      { length: PACKET_INTERVAL_MS },
      (_, ms) => pacerEvents.filter((one) => one.atMs === ms).length,
    );
    expect(perMs).toEqual(new Array(PACKET_INTERVAL_MS).fill(2));
  });

  test("a freed slot is the next call's", () => {
    const { pacer, pacerEvents, wake } = simulated();
    for (let call = 0; call < 20; call++) pacer.add(call, 0);
    pacer.remove(13);
    pacer.add(99, 0);
    wake(13);
    expect(pacerEvents.at(-1)).toMatchObject({ call: 99, lateMs: 0 });
  });

  test('up to two frames late is caught up; what is later is skipped, never sent in a burst', () => {
    const { pacer, pacerEvents, wake } = simulated();
    pacer.add(1, 0);
    wake(0);
    wake(39.9);
    expect(pacerEvents.map((one) => one.skipped)).toEqual([0, 0]);
    wake(1000);
    const late = pacerEvents.slice(2);
    expect(late[0]?.skipped).toBe(46);
    expect(late.slice(1).map((one) => one.lateMs)).toEqual([40, 20, 0]);
  });

  test('sent and skipped packets together are exactly those whose time has come', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.1, max: 300, noNaN: true }), { minLength: 1, maxLength: 100 }),
        fc.integer({ min: 1, max: 45 }),
        (steps, calls) => {
          const { pacer, pacerEvents, wake } = simulated();
          for (let call = 0; call < calls; call++) pacer.add(call, 0);
          let now = 0;
          for (const step of steps) {
            now += step;
            wake(now);
          }
          for (let call = 0; call < calls; call++) {
            const phase = call % PACKET_INTERVAL_MS;
            const counted = pacerEvents
              .filter((one) => one.call === call)
              .reduce((sum, one) => sum + (one.skipped === 0 ? 1 : one.skipped), 0);
            expect(counted).toBe(now < phase ? 0 : Math.floor((now - phase) / PACKET_INTERVAL_MS) + 1);
          }
          for (const { lateMs } of pacerEvents) expect(lateMs).toBeLessThanOrEqual(2 * PACKET_INTERVAL_MS);
        },
      ),
    );
  });

  test('a call that ends in its own tick takes no other with it, and is not due again', () => {
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
    while (pacer.turn(0));
    while (pacer.turn(20));
    expect(due.filter((call) => call % 20 === 0)).toEqual([40, 20, 0, 40, 0]);
  });

  test('an empty pacer has no frames to catch up with', () => {
    const { pacer, pacerEvents, wake } = simulated();
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
