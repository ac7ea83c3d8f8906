import { expect, it } from 'vitest';
import { loadShare } from '../../../../sip/media/main-thread/worker-load.ts';

const LATENESS_MS_MAX = 5;

it.each([
  { latenessP99Ms: 0, busyShare: 0 },
  { latenessP99Ms: 5, busyShare: 0.75 },
])('a worker $latenessP99Ms ms late and $busyShare busy accepts another call', (load) => {
  expect(loadShare(load, LATENESS_MS_MAX)).toBeLessThanOrEqual(1);
});

it.each([
  { latenessP99Ms: 5.25, busyShare: 0.2 },
  { latenessP99Ms: 1, busyShare: 0.76 },
])('a worker $latenessP99Ms ms late and $busyShare busy accepts no call', (load) => {
  expect(loadShare(load, LATENESS_MS_MAX)).toBeGreaterThan(1);
});
