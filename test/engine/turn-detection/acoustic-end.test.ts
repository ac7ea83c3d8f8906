import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import { END_OF_TURN_ANSWER_MS_MAX } from '../../../engine/ports/end-of-turn-model.ts';
import { acousticAnswerLeftMs, askEndOfTurnModel } from '../../../engine/turn-detection/acoustic-end.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const PAUSE_MS = 1_500;
const NOW_MS = 2_000;
const AGENT = agentWith({ turn_detection: 'model' });
const WITH_MODEL: Partial<CallContext> = { agent: AGENT, parameters: { ...CALL_PARAMETERS, hasEndOfTurnModel: true } };
const PAUSE: CallEvent = { type: 'media.speech_stopped', audioMs: PAUSE_MS };
const ASKED = { atMs: PAUSE_MS, askedUs: NOW_MS * 1_000, probability: null };
const ANSWERED = { ...ASKED, probability: 0.5 };

function afterEvent(event: CallEvent, context: Partial<CallContext>) {
  const step = ruleStep(context, NOW_MS, event);
  askEndOfTurnModel(step);
  return { acousticEnd: step.context.acousticEnd, commands: issuedCommands(step) };
}

describe('the acoustic end-of-turn model', () => {
  it('is asked at a pause of the user', () => {
    const commands = [{ type: 'end_of_turn.judge', atMs: PAUSE_MS }];
    expect(afterEvent(PAUSE, WITH_MODEL)).toEqual({ acousticEnd: ASKED, commands });
  });

  it.each<[string, Partial<CallContext>]>([
    ['the agent does not use it', { ...WITH_MODEL, agent: agentWith({}) }],
    ['the service has none', { agent: AGENT }],
  ])('is not asked if %s', (_case, context) => {
    expect(afterEvent(PAUSE, context)).toEqual({ acousticEnd: null, commands: [] });
  });

  it('judges the pause that it was asked about, and no later one', () => {
    const judged: CallEvent = { type: 'end_of_turn.judged', atMs: PAUSE_MS, probability: 0.5 };
    expect(afterEvent(judged, { ...WITH_MODEL, acousticEnd: ASKED }).acousticEnd).toEqual(ANSWERED);
    const later = { ...ASKED, atMs: PAUSE_MS + 500 };
    expect(afterEvent(judged, { ...WITH_MODEL, acousticEnd: later }).acousticEnd).toEqual(later);
    expect(afterEvent(judged, WITH_MODEL).acousticEnd).toBeNull();
  });

  it('has judged nothing once the user speaks again, but keeps its answer at other events', () => {
    const context = { ...WITH_MODEL, acousticEnd: ANSWERED };
    expect(afterEvent({ type: 'media.speech_started', audioMs: PAUSE_MS + 100 }, context).acousticEnd).toBeNull();
    expect(afterEvent({ type: 'media.background_speech_started', audioMs: PAUSE_MS }, context).acousticEnd).toEqual(
      ANSWERED,
    );
  });

  it('is waited for until it has answered, within its limit', () => {
    const leftMs = (acousticEnd: CallContext['acousticEnd'], nowMs: number) =>
      acousticAnswerLeftMs(ruleStep({ ...WITH_MODEL, acousticEnd }, nowMs, PAUSE));
    expect(leftMs(ASKED, NOW_MS)).toBe(END_OF_TURN_ANSWER_MS_MAX);
    expect(leftMs(ASKED, NOW_MS + 30)).toBe(END_OF_TURN_ANSWER_MS_MAX - 30);
    expect(leftMs(ASKED, NOW_MS + END_OF_TURN_ANSWER_MS_MAX + 1)).toBe(0);
    expect(leftMs(ANSWERED, NOW_MS)).toBe(0);
    expect(leftMs(null, NOW_MS)).toBe(0);
  });
});
