import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REORDER_PACKETS, ReorderWindow, RTP_PAYLOAD_BYTES_MAX } from '../../../../sip/rtp/reception/reorder-window.ts';

function push(window: ReorderWindow, sequence: number, nowMs = 0): boolean {
  return window.push(sequence & 0xffff, sequence * 160, 0, Uint8Array.of(9, sequence & 0xff), 1, 1, nowMs);
}

function drain(window: ReorderWindow, nowMs = 0): number[] {
  const released: number[] = [];
  while (window.next(nowMs)) released.push(window.timestamp / 160);
  return released;
}

describe('reorder window', () => {
  it('releases packets in order at once, with their payload', () => {
    const window = new ReorderWindow();
    push(window, 65_535);
    expect(drain(window)).toEqual([65_535]);
    push(window, 65_536);
    expect(window.next(0)).toBe(true);
    expect([window.length, window.payload[0], window.lostBefore]).toEqual([1, 0, 0]);
    expect(window.next(0)).toBe(false);
  });

  it('keeps packets after a gap until the missing packet arrives', () => {
    const window = new ReorderWindow();
    push(window, 1);
    drain(window);
    push(window, 3);
    expect(drain(window, 20)).toEqual([]);
    push(window, 2);
    expect(drain(window, 20)).toEqual([2, 3]);
    expect(window.lost).toBe(0);
  });

  it('stops waiting for missing packets when three packets wait, or after 60 ms', () => {
    const window = new ReorderWindow();
    for (const n of [1, 3, 4]) push(window, n);
    expect(drain(window)).toEqual([1]);
    push(window, 5);
    expect(window.next(0)).toBe(true);
    expect([window.timestamp / 160, window.lostBefore]).toEqual([3, 1]);
    expect(drain(window)).toEqual([4, 5]);
    push(window, 8, 100);
    expect(drain(window, 159)).toEqual([]);
    expect(window.next(160)).toBe(true);
    expect(window.lostBefore).toBe(2);
    expect(window.lost).toBe(3);
  });

  it('rejects late, duplicate and oversized packets', () => {
    const window = new ReorderWindow();
    push(window, 5);
    drain(window);
    expect(push(window, 4)).toBe(false);
    expect(push(window, 5)).toBe(false);
    expect(push(window, 7)).toBe(true);
    expect(push(window, 7)).toBe(false);
    expect(window.push(8, 0, 0, new Uint8Array(2000), 0, RTP_PAYLOAD_BYTES_MAX + 1, 0)).toBe(false);
    expect([window.late, window.duplicates]).toEqual([2, 1]);
  });

  it('starts over after a reset', () => {
    const window = new ReorderWindow();
    push(window, 5000);
    push(window, 5002);
    window.reset();
    expect(push(window, 3)).toBe(true);
    expect(drain(window)).toEqual([3]);
  });

  it('releases every packet once and in order, for any reordering within the bound', () => {
    const moves = fc.array(fc.record({ drop: fc.boolean(), swap: fc.integer({ min: 0, max: 2 }) }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 65_535 }), moves, (first, plan) => {
        const sent = plan.map((_, i) => first + i).filter((_, i) => i === 0 || plan[i]?.drop !== true);
        const arrival = sent.map((n, i) => ({ n, at: i === 0 ? -1 : i + (plan[i]?.swap ?? 0) * 0.9 }));
        arrival.sort((a, b) => a.at - b.at);
        const window = new ReorderWindow();
        const released: number[] = [];
        let lost = 0;
        let nowMs = 0;
        const take = () => {
          while (window.next(nowMs)) {
            released.push(window.timestamp / 160);
            lost += window.lostBefore;
          }
        };
        for (const { n } of arrival) {
          nowMs += 20;
          push(window, n, nowMs);
          push(window, n, nowMs);
          take();
        }
        nowMs += 60;
        take();
        expect(released).toEqual([...new Set(released)].sort((a, b) => a - b));
        expect(released.length + window.late).toBeGreaterThanOrEqual(sent.length);
        expect(released.length + lost).toBe((released.at(-1) ?? 0) - first + 1);
      }),
    );
  });

  it('never holds more than its bound', () => {
    const window = new ReorderWindow();
    push(window, 0);
    drain(window);
    let held = 0;
    for (let n = 2; n < 400; n += 2) {
      push(window, n);
      held = n / 2 - (drain(window).at(-1) ?? 0) / 2;
      expect(held).toBeLessThanOrEqual(n < 6 ? n / 2 : REORDER_PACKETS);
    }
  });
});
