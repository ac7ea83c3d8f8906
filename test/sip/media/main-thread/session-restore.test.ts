import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SessionRestore } from '../../../../sip/media/main-thread/session-restore.ts';

describe('session restore', () => {
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

  function startRestore(): SessionRestore {
    const restore = new SessionRestore({ address: '127.0.0.1', port: null, onFailed });
    onTestFinished(() => restore.end());
    return restore;
  }

  it('fails after ten seconds in total, however many workers exit in that time', () => {
    const restore = startRestore();
    vi.advanceTimersByTime(6000);
    restore.begin();
    restore.wait();
    vi.advanceTimersByTime(3999);
    expect(onFailed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onFailed).toHaveBeenCalledOnce();
  });

  it('waits longer than the second of port refusals for a busy worker', () => {
    const restore = startRestore();
    restore.begin();
    vi.advanceTimersByTime(5000);
    restore.refused(again);
    expect(onFailed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(50);
    expect(again).toHaveBeenCalledOnce();
  });

  it('fails once the same worker has refused the ports for a second', () => {
    const restore = startRestore();
    restore.begin();
    restore.refused(again);
    vi.advanceTimersByTime(999);
    restore.wait();
    restore.begin();
    restore.refused(again);
    vi.advanceTimersByTime(999);
    restore.refused(again);
    expect(onFailed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    restore.refused(again);
    expect(onFailed).toHaveBeenCalledOnce();
  });

  it('neither retries nor fails after its end', () => {
    const restore = startRestore();
    restore.begin();
    restore.refused(again);
    restore.end();
    vi.advanceTimersByTime(60_000);
    expect(again).not.toHaveBeenCalled();
    expect(onFailed).not.toHaveBeenCalled();
  });

  it('counts the time without a worker from the exit on, regardless of refusals', () => {
    const restore = startRestore();
    vi.advanceTimersByTime(300);
    restore.begin();
    restore.refused(again);
    vi.advanceTimersByTime(50);
    restore.begin();
    expect(restore.absentMs).toBe(350);
  });
});
