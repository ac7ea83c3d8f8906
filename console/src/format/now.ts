import { useEffect, useState } from 'react';

const TICK_MS = 1_000;

/** The time of the last full second, ms since 1970: durations of running calls go on without a message. */
export function useNowMs(): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
