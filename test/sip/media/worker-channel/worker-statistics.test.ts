import { describe, expect, it } from 'vitest';
import { WorkerStatistics } from '../../../../sip/media/worker-channel/worker-statistics.ts';

function pair(): { worker: WorkerStatistics; main: WorkerStatistics } {
  const worker = new WorkerStatistics();
  return { worker, main: new WorkerStatistics(worker.shared) };
}

describe('worker statistics', () => {
  it('are visible to the main thread with each packet', () => {
    const { worker, main } = pair();
    worker.countReceived(1);
    worker.countReceived(1);
    worker.countSent(1);
    worker.countDropped(3);
    worker.countSkipped(4);
    worker.countUnderruns(5);
    const { received, sent, dropped, skipped, underruns } = main;
    expect({ received, sent, dropped, skipped, underruns }).toEqual({
      received: 2,
      sent: 1,
      dropped: 3,
      skipped: 4,
      underruns: 5,
    });
  });

  it('report the 99th percentile of lateness of the last whole second, in steps of 0.25 ms', () => {
    const { worker, main } = pair();
    worker.begin(0);
    for (let i = 0; i < 1000; i++) worker.recordLateness(i < 985 ? 0.1 : 7.3);
    expect(main.latenessP99Ms).toBe(0);
    worker.tick(1000, () => 0.5);
    expect(main.latenessP99Ms).toBe(7.5);
    expect(main.busyShare).toBe(0.5);
    for (let i = 0; i < 1000; i++) worker.recordLateness(0.1);
    worker.tick(2000, () => 0.1);
    expect(main.latenessP99Ms).toBe(0.25);
  });

  it('report no load before the first second is over', () => {
    const { worker, main } = pair();
    worker.begin(5000);
    worker.tick(5000.1, () => 1);
    worker.tick(5999, () => 1);
    expect(main.busyShare).toBe(0);
    worker.tick(6000, () => 0.2);
    expect(main.busyShare).toBe(0.2);
  });

  it('report no lateness for few packets, and no load without calls', () => {
    const { worker, main } = pair();
    worker.begin(0);
    for (let i = 0; i < 50; i++) worker.recordLateness(30);
    worker.tick(1000, () => 0.9);
    expect(main.latenessP99Ms).toBe(0);
    worker.resetLoad();
    expect(main.busyShare).toBe(0);
  });

  it('count lateness beyond the last bin and negative lateness', () => {
    const { worker, main } = pair();
    worker.begin(0);
    for (let i = 0; i < 600; i++) worker.recordLateness(i % 2 === 0 ? 1e9 : -1);
    worker.tick(1000, () => 0);
    expect(main.latenessP99Ms).toBeGreaterThan(50);
  });
});
