import { expect, it } from 'vitest';
import { mediaSubjects } from './media-subjects.ts';
import { sipSubjects } from './sip-subjects.ts';

/** Inputs for each of the eight subjects, 20,800 together. `npm run fuzz` runs a million. */
const RUNS = 2_600;
const subjects = [...sipSubjects([]), ...mediaSubjects()];

it.each(subjects)('$name: every input is parsed or rejected correctly, without an exception or a hang', ({ run }) => {
  expect(run(RUNS, Math.floor(Math.random() * 2 ** 31)).slowestMs).toBeGreaterThanOrEqual(0);
});
