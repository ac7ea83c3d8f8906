import { beforeEach, describe, expect, it } from 'vitest';
import { FirstByteTimes } from '../../../adapters/decorators/timing/first-byte-times.ts';

describe('first-byte times', () => {
  let nowMs = 0;
  let times: FirstByteTimes;

  beforeEach(() => {
    nowMs = 1_000;
    times = new FirstByteTimes(() => nowMs);
  });

  function add(count: number, ms: number, model = 'fast'): void {
    for (let nth = 0; nth < count; nth++) times.add('test', model, ms);
  }

  it('report nothing for fewer than twenty, and nothing of another model or provider', () => {
    add(19, 300);
    expect(times.p99Ms('test', 'fast')).toBeNull();
    add(1, 300);
    expect(times.p99Ms('test', 'fast')).toBe(300);
    expect(times.p99Ms('test', 'other')).toBeNull();
    expect(times.p99Ms('test fast', '')).toBeNull();
  });

  it('report the 99th percentile: of a hundred, one slow time is ignored and two are not', () => {
    add(99, 300);
    add(1, 9_000);
    expect(times.p99Ms('test', 'fast')).toBe(300);
    add(1, 9_000);
    expect(times.p99Ms('test', 'fast')).toBe(9_000);
  });

  it('cover the latest hundred of the last hour', () => {
    add(100, 5_000);
    add(100, 300);
    expect(times.p99Ms('test', 'fast')).toBe(300);
    nowMs += 3_600_001;
    expect(times.p99Ms('test', 'fast')).toBeNull();
  });

  it('cover two hundred models, and drop the least recently requested one', () => {
    add(20, 300, 'old');
    add(20, 400, 'recent');
    for (let model = 0; model < 198; model++) add(1, 1, `m${model}`);
    times.add('test', 'recent', 400);
    add(1, 1, 'one more');
    expect(times.p99Ms('test', 'old')).toBeNull();
    expect(times.p99Ms('test', 'recent')).toBe(400);
  });
});
