import { getEventListeners } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { pause } from '../../../base/time/pause.ts';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';

const clock = new SimulatedClock();
const { signal } = new AbortController();

afterEach(() => {
  expect(clock.pending).toBe(0);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('a pause ends after its time', async () => {
  let ended = false;
  const paused = pause(clock, 100, signal).then(() => {
    ended = true;
  });
  clock.runUntil(99);
  await Promise.resolve();
  expect(ended).toBe(false);
  clock.runUntil(100);
  await paused;
});

it('a pause ends immediately when it is aborted', async () => {
  const stopping = new AbortController();
  const paused = pause(clock, 100, stopping.signal);
  stopping.abort();
  await paused;
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
});

it('a pause ends immediately if it was aborted before its start', async () => {
  await pause(clock, 100, AbortSignal.abort());
});
