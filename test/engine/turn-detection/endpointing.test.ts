import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import { SILENT_USER, type UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { endpointing } from '../../../engine/turn-detection/endpointing.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const SPOKEN: Partial<UserTurn> = {
  startedUs: 1_000_000,
  endedUs: 2_000_000,
  activityEndedUs: 2_000_000,
  speech: speechOf({ finals: ['I want a table.'], finalEndMs: 2_000 }),
};

/** The turn has ended at 9 s. */
function ended(userTurn: Partial<UserTurn> = SPOKEN, context: Partial<CallContext> = {}, atMs = 9_000) {
  const effects: string[] = [];
  const step = ruleStep({ ...context, userTurn: { ...SILENT_USER, ...userTurn } }, atMs);
  endpointing({
    leastPauseMs: () => 0,
    onScheduled: () => void effects.push('scheduled'),
    onWordlessTurn: () => void effects.push('wordless'),
  }).onEndpoint(step);
  return { effects, step, ...step.context.userTurn };
}

describe('a turn that has ended', () => {
  it('is complete with the pause that ended it, and its timer ends', () => {
    const { complete, effects, end, overMonologueLimit, step } = ended();
    expect({ complete, effects, overMonologueLimit }).toEqual({
      complete: true,
      effects: [],
      overMonologueLimit: false,
    });
    expect(end).toEqual({ by: 'pause', score: 1, reasons: ['sentence_mark'] });
    expect(issuedCommands(step)).toEqual([{ type: 'timer.stop', timer: 'endpoint' }]);
  });

  it('was noise without words', () => {
    const { complete, effects, startedUs } = ended({ startedUs: 1_000_000, endedUs: 2_000_000 });
    expect({ complete, effects, startedUs }).toEqual({ complete: false, effects: ['wordless'], startedUs: null });
  });

  it('was bounded by the time of its transcriber, if that decides on the end of turns', () => {
    const traits = { ...CALL_PARAMETERS, transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };
    expect(ended(SPOKEN, { parameters: traits }).end?.by).toBe('provider_timeout');
  });

  it('was ended by the acoustic model if its answer has moved the end', () => {
    const speech = speechOf({ finals: ['I want a table'], finalEndMs: 2_000 });
    const heard = (probability: number | null) =>
      ended({ ...SPOKEN, speech }, { acousticEnd: { atMs: 2_000, askedUs: 2_000_000, probability } }).end?.by;
    expect(heard(0.01)).toBe('acoustic_model');
    expect(heard(null)).toBe('pause');
  });

  it('has exceeded the monologue limit only if the user still speaks', () => {
    const agent = agentWith({ max_monologue: 20 });
    const speech = speechOf({ finals: ['I want a table and'], finalEndMs: 40_500 });
    const speaking = { ...SPOKEN, speech, speaking: true, activityStartedUs: 40_000_000 };
    const limited = ended(speaking, { agent }, 41_000);
    expect(limited).toMatchObject({ overMonologueLimit: true, end: { by: 'monologue_limit' } });
    const silent = ended(SPOKEN, { agent }, 41_000);
    expect(silent).toMatchObject({ overMonologueLimit: false, end: { by: 'pause' } });
  });
});
