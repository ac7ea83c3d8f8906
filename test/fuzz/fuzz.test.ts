import { expect, it } from 'vitest';
import { mediaSubjects } from './media-subjects.ts';
import { sipSubjects } from './sip-subjects.ts';

/** Inputs for each of the eight subjects, 20,800 together. `npm run fuzz` runs a million. */
const RUNS = 2_600;
const subjects = [...sipSubjects([]), ...mediaSubjects()];

it.each(subjects)('$name: no input throws, hangs, or is read as what it is not', ({ run }) => {
  expect(run(RUNS, Math.floor(Math.random() * 2 ** 31)).slowestMs).toBeGreaterThanOrEqual(0);
});
