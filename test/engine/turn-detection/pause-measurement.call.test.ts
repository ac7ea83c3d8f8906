import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

const UNMARKED = 'I want to come tomorrow';
/** The pause of a text without a mark. */
const UNMARKED_MS = 500;
const PAUSE_S = 0.8;
/** The pause that follows from the user's own pauses: a fifth longer. */
const OWN_PAUSE_MS = PAUSE_S * 1_200;

/** A turn with two pauses, each ended by a sound; then a turn without a mark. */
function endpointingAfterPauses(endPause: (call: Simulation, atS: number) => void): number | null | undefined {
  const call = new Simulation({ agent: {} }).userSpeaks(0.5, 1.5, 'I want to come to the place for', {
    finalAfter: 0.05,
  });
  endPause(call, 1.5 + PAUSE_S);
  endPause(call, 1.5 + PAUSE_S + 0.3 + PAUSE_S);
  call.userSpeaks(10, 11, UNMARKED, { finalAfter: 0.05 }).runUntil(20);
  return call.turnTimes.at(-1)?.endpointingMs;
}

describe('a pause of the user', () => {
  it('makes the agent wait as long in later turns if words end it', () => {
    const wait = endpointingAfterPauses((call, atS) =>
      call.userSpeaks(atS, atS + 0.3, 'some of the', { finalAfter: 0.05 }),
    );
    expect(wait).toBe(OWN_PAUSE_MS);
  });

  it('does not within a dictation', () => {
    const call = new Simulation({ agent: {} });
    for (const [from, digits] of [
      [0.5, '0 1 7 2'],
      [2.7, '5 5 5'],
      [4.9, '1 2 3 4'],
    ] as const)
      call.userSpeaks(from, from + 1, digits, { finalAfter: 0.05 });
    call.userSpeaks(10, 11, UNMARKED, { finalAfter: 0.05 }).runUntil(20);
    expect(call.dialogue[0]).toBe('user: 0 1 7 2 5 5 5 1 2 3 4');
    expect(call.turnTimes.at(-1)?.endpointingMs).toBe(UNMARKED_MS);
  });

  it('does not if a cough ends it', () => {
    const wait = endpointingAfterPauses((call, atS) =>
      call
        .at(atS, ({ media }) => media.emit({ type: 'speech_started', audioMs: atS * 1000 }))
        .at(atS + 0.3, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: (atS + 0.3) * 1000 })),
    );
    expect(wait).toBe(UNMARKED_MS);
  });
});
