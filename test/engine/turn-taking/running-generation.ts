import { FIRST_ATTEMPT, type Generation } from '../../../engine/core/state/generation-slice.ts';

/** The model answers, and has sent nothing yet. */
export const RUNNING_GENERATION: Generation = {
  number: 4,
  item: 6,
  stateIndex: 0,
  requestedUs: 0,
  firstTokenUs: null,
  toolCalls: [],
  spoke: false,
  model: 'test',
  attempts: FIRST_ATTEMPT,
  backingOff: false,
  hasEnded: false,
  failure: null,
};
