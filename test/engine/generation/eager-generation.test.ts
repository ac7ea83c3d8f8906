import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import {
  adoptEagerGeneration,
  discardEagerGeneration,
  onEagerModelEvent,
  updateEagerGeneration,
} from '../../../engine/generation/eager-generation.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { addUserText } from '../../../engine/transcript/history.ts';
import { CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const TEXT = 'I want a table';
const DTMF_ENTRY = { digits: '12', startUs: 1_000_000, endUs: 1_200_000 };
const PROVIDER_TURNS = { ...CALL_PARAMETERS, transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };
const ERROR = { provider: 'openai', code: 'unavailable', message: 'no', retryable: true } as const;

/** A step in the pause after the user has said `TEXT`. */
function stepInPause(
  userTurnChanges: Partial<UserTurn> = {},
  contextChanges: Partial<CallContext> = {},
  event?: CallEvent,
): RuleStep {
  const userTurn = { ...SILENT_USER, speech: speechOf({ finals: [TEXT] }), ...userTurnChanges };
  return ruleStep({ initialMessage: 'done', userTurn, ...contextChanges }, 3_000, event);
}

function startsGeneration(step: RuleStep, pauseLeftMs = 500): boolean {
  updateEagerGeneration(step, pauseLeftMs);
  return issuedCommands(step).some(({ type }) => type === 'model.request');
}

/** The next step, while eager generation 1 runs. */
function stepDuringGeneration(
  event?: CallEvent,
  contextChanges: Partial<CallContext> = {},
  userTurnChanges: Partial<UserTurn> = {},
): RuleStep {
  const step = stepInPause();
  updateEagerGeneration(step, 500);
  const userTurn = { ...step.context.userTurn, ...userTurnChanges };
  return ruleStep({ ...step.context, ...contextChanges, userTurn }, 3_100, event);
}

const turnEvent = (phase: Extract<CallEvent, { readonly type: 'transcriber.turn' }>['phase']): CallEvent => ({
  type: 'transcriber.turn',
  phase,
  text: TEXT,
  startMs: 1_000,
  endMs: 2_000,
});
const SENTENCE: CallEvent = { type: 'model.sentence', generation: 1, text: 'For how many?' };
const DONE: CallEvent = {
  type: 'model.done',
  generation: 1,
  finish: 'stop',
  usage: { inputTokens: 10, outputTokens: 5 },
};
const CANCEL = { type: 'model.cancel', generation: 1 };

describe('start of an eager generation', () => {
  it('needs final words, a silent user, and enough of the pause left', () => {
    expect(startsGeneration(stepInPause(), 200)).toBe(true);
    expect(startsGeneration(stepInPause(), 199)).toBe(false);
    expect(startsGeneration(stepInPause({ speaking: true }))).toBe(false);
    expect(
      startsGeneration(
        stepInPause({
          speech: speechOf({ finals: [TEXT], interim: 'for', interimEndMs: 2_500 }),
        }),
      ),
    ).toBe(false);
    expect(startsGeneration(stepInPause({ speech: speechOf({ finals: [] }) }))).toBe(false);
    expect(startsGeneration(stepInPause({ speech: speechOf({ interim: TEXT, interimEndMs: 2_500 }) }))).toBe(false);
    expect(startsGeneration(stepInPause({ speech: speechOf({ finals: ['.'] }) }))).toBe(false);
  });

  it('needs words that may end the turn', () => {
    expect(startsGeneration(stepInPause({ speech: speechOf({ finals: ['I want a table.'] }) }))).toBe(true);
    expect(startsGeneration(stepInPause({ speech: speechOf({ finals: ['I want a table and'] }) }))).toBe(false);
    expect(startsGeneration(stepInPause({ speech: speechOf({ finals: ['My number is five five three'] }) }))).toBe(
      false,
    );
  });

  it('needs the transcriber’s event if the transcriber detects turns', () => {
    const providerTurn = { speech: speechOf({ interim: TEXT }) };
    expect(startsGeneration(stepInPause(providerTurn, { parameters: PROVIDER_TURNS }, turnEvent('eager_end')), 0)).toBe(
      true,
    );
    expect(startsGeneration(stepInPause(providerTurn, { parameters: PROVIDER_TURNS }, turnEvent('updated')))).toBe(
      false,
    );
    expect(startsGeneration(stepInPause({}, { parameters: PROVIDER_TURNS }))).toBe(false);
  });

  it('needs a turn that would get a response at once', () => {
    const tool = { toolCallId: 'a', name: 'lookup', startedUs: 0, reply: 0, item: 0 };
    const replying = stepInPause();
    startReply(replying, null);
    expect(startsGeneration(replying)).toBe(false);
    expect(startsGeneration(stepInPause({}, { runningTools: [tool] }))).toBe(false);
    expect(startsGeneration(stepInPause({}, { decidedEnd: 'agent_hangup' }))).toBe(false);
    expect(startsGeneration(stepInPause({}, { initialMessage: 'scheduled' }))).toBe(false);
    expect(startsGeneration(stepInPause({}, { initialMessage: 'pending' }))).toBe(false);
    expect(startsGeneration(stepInPause({}, { dtmf: { openEntry: DTMF_ENTRY, entries: [] } }))).toBe(false);
    expect(startsGeneration(stepInPause({}, { dtmf: { openEntry: null, entries: [DTMF_ENTRY] } }))).toBe(false);
    expect(startsGeneration(stepInPause({}, { queuedSpeech: [{ text: 'Wait.', interruptible: true }] }))).toBe(false);
  });

  it('does not come after three misses in a row, nor twice for one text', () => {
    expect(
      startsGeneration(stepInPause({}, { eager: { running: null, requestedWords: '', consecutiveMisses: 2 } })),
    ).toBe(true);
    expect(
      startsGeneration(stepInPause({}, { eager: { running: null, requestedWords: '', consecutiveMisses: 3 } })),
    ).toBe(false);
    expect(
      startsGeneration(
        stepInPause({}, { eager: { running: null, requestedWords: 'i want a table', consecutiveMisses: 0 } }),
      ),
    ).toBe(false);
  });
});

describe('running eager generation', () => {
  it('continues while only the punctuation changes', () => {
    const step = stepDuringGeneration(undefined, {}, { speech: speechOf({ finals: ['I want a table.'] }) });
    updateEagerGeneration(step, 400);
    expect(issuedCommands(step)).toEqual([]);
    expect(step.context.eager.running).not.toBeNull();
  });

  it('stops when the words change or the transcriber reports more speech', () => {
    const otherWords = stepDuringGeneration(undefined, {}, { speech: speechOf({ finals: [TEXT, 'for four'] }) });
    updateEagerGeneration(otherWords, 400);
    expect(issuedCommands(otherWords)).toMatchObject([CANCEL, { type: 'model.request', generation: 2 }]);
    expect(otherWords.context.eager).toMatchObject({ requestedWords: 'i want a table for four', consecutiveMisses: 1 });
    const resumed = stepDuringGeneration(turnEvent('resumed'));
    updateEagerGeneration(resumed, 400);
    expect(issuedCommands(resumed)).toEqual([CANCEL]);
    for (const phase of ['updated', 'eager_end'] as const) {
      const unchanged = stepDuringGeneration(turnEvent(phase));
      updateEagerGeneration(unchanged, 400);
      expect(issuedCommands(unchanged)).toEqual([]);
    }
  });

  it('stops when it is discarded; the same words may start another one', () => {
    const step = stepDuringGeneration();
    discardEagerGeneration(step);
    expect(issuedCommands(step)).toEqual([CANCEL]);
    expect(step.context).toMatchObject({
      eager: { running: null, requestedWords: '', consecutiveMisses: 1 },
      metrics: { eagerMisses: 1 },
    });
    const withSentence = stepDuringGeneration(SENTENCE);
    onEagerModelEvent(withSentence);
    const complete = ruleStep(withSentence.context, 3_200, DONE);
    onEagerModelEvent(complete);
    discardEagerGeneration(complete);
    // There is nothing to cancel.
    expect(issuedCommands(complete)).toEqual([]);
    expect(complete.context.metrics.eagerMisses).toBe(1);
  });

  it('keeps its sentences, and counts its tokens', () => {
    const first = stepDuringGeneration({ type: 'model.first_token', generation: 1 });
    onEagerModelEvent(first);
    expect(first.context.eager.running).toMatchObject({ hasFirstToken: true, sentences: [] });
    const second = ruleStep(first.context, 3_200, SENTENCE);
    onEagerModelEvent(second);
    const third = ruleStep(second.context, 3_300, DONE);
    onEagerModelEvent(third);
    expect(third.context.eager.running).toMatchObject({
      hasFirstToken: true,
      sentences: ['For how many?'],
      done: true,
    });
    expect(third.context.metrics).toMatchObject({ inputTokens: 10, outputTokens: 5, eagerMisses: 0 });
    expect(issuedCommands(third)).toEqual([]);
  });

  it.each([
    ['fails', { type: 'model.failed', generation: 1, error: ERROR }, []],
    ['says nothing', DONE, []],
    [
      'calls a tool',
      { type: 'model.tool_call', generation: 1, call: { id: 'a', name: 'b', arguments: '{}' } },
      [CANCEL],
    ],
  ] as const)('counts as a miss when the model %s', (_case, event, commands) => {
    const step = stepDuringGeneration(event);
    onEagerModelEvent(step);
    expect(step.context).toMatchObject({ eager: { running: null, consecutiveMisses: 1 }, metrics: { eagerMisses: 1 } });
    expect(issuedCommands(step)).toEqual(commands);
  });

  it('counts as a miss when the response is too long', () => {
    const running = stepDuringGeneration().context.eager.running;
    if (running === null) throw new Error('no eager generation runs');
    const commandsAfter = (count: number) => {
      const sentences = Array.from({ length: count }, () => 'Well.');
      const step = stepDuringGeneration(SENTENCE, {
        eager: { running: { ...running, sentences }, requestedWords: '', consecutiveMisses: 0 },
      });
      onEagerModelEvent(step);
      return issuedCommands(step);
    };
    expect(commandsAfter(49)).toEqual([]);
    expect(commandsAfter(50)).toEqual([CANCEL]);
  });

  it('ignores events of other generations', () => {
    const events: readonly CallEvent[] = [{ type: 'call.offered' }, { ...SENTENCE, generation: 2 }];
    for (const event of events) {
      const step = stepDuringGeneration(event);
      onEagerModelEvent(step);
      expect(step.context.eager).toEqual(stepDuringGeneration().context.eager);
    }
    const withoutGeneration = stepInPause({}, {}, SENTENCE);
    onEagerModelEvent(withoutGeneration);
    expect(withoutGeneration.context.eager.running).toBeNull();
  });
});

describe('committed turn', () => {
  function stepAfterCommit(text: string, contextChanges: Partial<CallContext> = {}): RuleStep {
    const step = stepDuringGeneration(undefined, contextChanges);
    addUserText(step, text);
    startReply(step, null);
    return step;
  }

  it('uses the eager generation for the same words', () => {
    const step = stepAfterCommit('I want a table.', {
      eager: { ...stepDuringGeneration().context.eager, consecutiveMisses: 2 },
    });
    expect(adoptEagerGeneration(step)).toBe(true);
    expect(step.context).toMatchObject({
      eager: { running: null, consecutiveMisses: 0 },
      metrics: { eagerHits: 1, eagerMisses: 0 },
      reply: { generation: { number: 1 } },
    });
  });

  it('discards the eager generation if its words or the request have changed', () => {
    const otherWords = stepAfterCommit('I want a chair');
    expect(adoptEagerGeneration(otherWords)).toBe(false);
    expect(issuedCommands(otherWords)).toEqual([CANCEL]);
    const withNote = stepAfterCommit(TEXT, { notes: ['It was paid.'] });
    expect(adoptEagerGeneration(withNote)).toBe(false);
    expect(issuedCommands(withNote)).toEqual([CANCEL]);
    expect(withNote.context.metrics).toMatchObject({ eagerHits: 0, eagerMisses: 1 });
  });

  it('has no eager generation to use if none runs or the turn has no words', () => {
    const withoutGeneration = stepInPause();
    addUserText(withoutGeneration, TEXT);
    expect(adoptEagerGeneration(withoutGeneration)).toBe(false);
    const withoutWords = stepDuringGeneration();
    expect(adoptEagerGeneration(withoutWords)).toBe(false);
    expect([...issuedCommands(withoutGeneration), ...issuedCommands(withoutWords)]).toEqual([]);
  });
});
