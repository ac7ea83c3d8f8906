import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import { KEY_TRUSTED_MS, periodicKeyCheck } from '../../../../src/api/calls/periodic-key-check.ts';

const START_MS = 1_000_000;

it('asks for the key once in five seconds, and refuses it after it was revoked', async () => {
  let isActive = true;
  let questions = 0;
  const clock = new SimulatedClock(START_MS);
  const mayRead = periodicKeyCheck(async () => {
    questions++;
    return isActive;
  }, clock);
  for (let read = 0; read < 100; read++) expect(await mayRead()).toBe(true);
  expect(questions).toBe(1);
  isActive = false;
  clock.advance(KEY_TRUSTED_MS - 1);
  expect(await mayRead()).toBe(true);
  clock.advance(1);
  expect(await mayRead()).toBe(false);
  expect(questions).toBe(2);
});

it('asks again when the wall clock was set back', async () => {
  let wallMs = START_MS;
  let questions = 0;
  const mayRead = periodicKeyCheck(
    async () => {
      questions++;
      return true;
    },
    { wallMs: () => wallMs },
  );
  await mayRead();
  wallMs -= KEY_TRUSTED_MS;
  await mayRead();
  expect(questions).toBe(2);
});
