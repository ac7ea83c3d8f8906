import { describe, expect, it } from 'vitest';
import { END_OF_TURN_ANSWER_MS_MAX } from '../../../engine/ports/end-of-turn-model.ts';
import { SPEECH_STOP_LATENESS_MS } from '../../../engine/ports/media.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const SPEECH_END_MS = 1_500;
/** The pause of a text without a mark. */
const UNMARKED_MS = 500;
/** The pauses at probability 1 and 0. */
const SURELY_COMPLETE_MS = 300;
const SURELY_OPEN_MS = 1_500;
const UNMARKED = 'I want to come tomorrow';
const AGENT = { turn_detection: 'model' } as const;

/** From the end of the user's speech to the end of their turn. */
function endedAfterMs(text: string, scenario: Partial<Scenario>): number | null | undefined {
  const call = new Simulation({ agent: AGENT, ...scenario })
    .userSpeaks(0.5, SPEECH_END_MS / 1000, text, { finalAfter: 0.05 })
    .runUntil(10);
  expectReplay(call);
  return call.turnTimes[0]?.endpointingMs;
}

describe('the acoustic end-of-turn model', () => {
  it('shortens and lengthens the pause of words that could end here', () => {
    const judged = (probability: number) => endedAfterMs(UNMARKED, { endOfTurnModel: { after: 0.02, probability } });
    expect(judged(1)).toBe(SURELY_COMPLETE_MS);
    expect(judged(0.5)).toBe(UNMARKED_MS);
    expect(judged(0)).toBe(SURELY_OPEN_MS);
  });

  it('holds a turn whose full stop the transcriber set too early', () => {
    expect(endedAfterMs('I want to come.', { endOfTurnModel: { after: 0.02, probability: 0 } })).toBe(SURELY_OPEN_MS);
  });

  it.each([
    ['holds a turn with a full stop', 0.06, 0, SURELY_OPEN_MS],
    ['ends it once it has judged', 0.06, 1, SPEECH_STOP_LATENESS_MS + 60],
    ['leaves it to the rules after its limit', 0.06, null, SPEECH_STOP_LATENESS_MS + END_OF_TURN_ANSWER_MS_MAX],
  ])('%s, whose final comes before the pause is reported', (_case, after, probability, endpointingMs) => {
    const call = new Simulation({ agent: AGENT, endOfTurnModel: { after, probability } })
      .at(0.5, ({ media }) => media.emit({ type: 'speech_started', audioMs: 500 }))
      .at((SPEECH_END_MS + 150) / 1000, (call) => call.emitFinal(0.5, SPEECH_END_MS / 1000, 'I want to come.'))
      .at((SPEECH_END_MS + SPEECH_STOP_LATENESS_MS) / 1000, ({ media }) =>
        media.emit({ type: 'speech_stopped', audioMs: SPEECH_END_MS }),
      )
      .runUntil(10);
    expectReplay(call);
    expect(call.turnTimes[0]?.endpointingMs).toBe(endpointingMs);
  });

  it('never ends an open sentence', () => {
    expect(endedAfterMs('I would like a table for', { endOfTurnModel: { after: 0.02, probability: 1 } })).toBe(1_500);
  });

  it.each([
    ['it does not answer', { endOfTurnModel: { after: 0, probability: null } }],
    ['the service has none', {}],
    ['the agent does not use it', { agent: {}, endOfTurnModel: { after: 0.02, probability: 0 } }],
  ])('leaves the decision to the rules if %s', (_case, scenario) => {
    expect(endedAfterMs(UNMARKED, scenario)).toBe(UNMARKED_MS);
  });

  it('judges the pause of a turn that interrupts the agent', () => {
    const call = new Simulation({
      agent: { ...AGENT, initial_message: 'Hello, this is the restaurant, what can I do for you today?' },
      endOfTurnModel: { after: 0.02, probability: 0 },
    })
      .userSpeaks(0.7, SPEECH_END_MS / 1000, UNMARKED, { finalAfter: 0.05 })
      .runUntil(10);
    expect(call.turnTimes.at(-1)?.endpointingMs).toBe(SURELY_OPEN_MS);
    expectReplay(call);
  });

  it('judges no turn by the pause of an earlier one', () => {
    const call = new Simulation({ agent: AGENT, endOfTurnModel: { after: 0.02, probability: 1 } })
      .userSpeaks(0.5, 1.5, UNMARKED, { finalAfter: 0.05 })
      // No voice activity: the user speaks softly.
      .at(4, (call) => call.emitFinal(3, 4, UNMARKED))
      .runUntil(10);
    expect(call.turnTimes.map(({ endpointingMs }) => endpointingMs)).toEqual([SURELY_COMPLETE_MS, UNMARKED_MS]);
  });

  it('is asked at each pause with the audio before it, and its late answer to an earlier pause is ignored', () => {
    const call = new Simulation({ agent: AGENT, endOfTurnModel: { after: 0.4, probability: 1 } })
      .userSpeaks(0.5, 1.5, 'I want')
      .userSpeaks(1.8, 2.5, 'to come', { finalAfter: 0.05 })
      .runUntil(2.3);
    expect(call.commands.filter(({ type }) => type === 'end_of_turn.judge')).toEqual([
      { type: 'end_of_turn.judge', atMs: 1_500 },
    ]);
    call.runUntil(10);
    expect(call.commands.filter(({ type }) => type === 'end_of_turn.judge')).toHaveLength(2);
    expect(call.dialogue[0]).toBe('user: I want to come');
  });
});
