import { expect, it } from 'vitest';
import { mediaSubjects } from './media-subjects.ts';
import { sipSubjects } from './sip-subjects.ts';

/** Of each of the eight: 20,800 inputs together. A million are `npm run fuzz`. */
const RUNS = 2_600;
const subjects = [...sipSubjects([]), ...mediaSubjects()];

it.each(subjects)('$name: no input throws, hangs, or is read as what it is not', ({ run }) => {
  expect(run(RUNS, Math.floor(Math.random() * 2 ** 31)).slowestMs).toBeGreaterThanOrEqual(0);
});
