import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SessionRestore } from '../../../../sip/media/main-thread/session-restore.ts';

describe('the restore of a call', () => {
  const onFailed = vi.fn();
  const again = vi.fn();

  beforeEach(() => {
    vi.useFakeTimers();
    onFailed.mockClear();
    again.mockClear();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function restore(): SessionRestore {
    const one = new SessionRestore({ address: '127.0.0.1', port: null, onFailed });
    onTestFinished(() => one.end());
    return one;
  }

  test('waits ten seconds in all for a worker, however many exit in that time', () => {
    const one = restore();
    vi.advanceTimersByTime(6000);
    one.begin();
    one.wait();
    vi.advanceTimersByTime(3999);
    expect(onFailed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onFailed).toHaveBeenCalledOnce();
  });

  test('a worker that is busy with other calls is given more than the second in which ports may be refused', () => {
    const one = restore();
    one.begin();
    vi.advanceTimersByTime(5000);
    one.refused(again);
    expect(onFailed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(50);
    expect(again).toHaveBeenCalledOnce();
  });

  test('stops asking for ports after a second of refusals; a new worker starts a new second', () => {
    const one = restore();
    one.begin();
    one.refused(again);
    vi.advanceTimersByTime(999);
    one.wait();
    one.begin();
    one.refused(again);
    vi.advanceTimersByTime(999);
    one.refused(again);
    expect(onFailed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    one.refused(again);
    expect(onFailed).toHaveBeenCalledOnce();
  });

  test('nothing is tried again, nor given up, once it is over', () => {
    const one = restore();
    one.begin();
    one.refused(again);
    one.end();
    vi.advanceTimersByTime(60_000);
    expect(again).not.toHaveBeenCalled();
    expect(onFailed).not.toHaveBeenCalled();
  });

  test('the time without a worker is counted from the death on, whatever was refused', () => {
    const one = restore();
    vi.advanceTimersByTime(300);
    one.begin();
    one.refused(again);
    vi.advanceTimersByTime(50);
    one.begin();
    expect(one.absentMs).toBe(350);
  });
});
