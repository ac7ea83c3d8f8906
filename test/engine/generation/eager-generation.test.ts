import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { UserTurn } from '../../../engine/core/state/user-turn-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/user-turn-slice.ts';
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

const TEXT = 'I want a table';
const KEYS = { digits: '12', startUs: 1_000_000, endUs: 1_200_000 };
const NATIVE = { ...CALL_PARAMETERS, transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };
const ERROR = { provider: 'openai', code: 'unavailable', message: 'no', retryable: true } as const;

/** The user has said `TEXT`, and nothing else is going on. */
function silent(caller: Partial<UserTurn> = {}, context: Partial<CallContext> = {}, event?: CallEvent): RuleStep {
  const said = { ...SILENT_USER, finals: [TEXT], ...caller };
  return ruleStep({ greeting: 'done', userTurn: said, ...context }, 3_000, event);
}

function isAsked(step: RuleStep, leftMs = 500): boolean {
  updateEagerGeneration(step, leftMs);
  return issuedCommands(step).some(({ type }) => type === 'model.request');
}

/** The same call, in which something else happens: the model was asked ahead as generation 1. */
function asked(event?: CallEvent, context: Partial<CallContext> = {}, caller: Partial<UserTurn> = {}): RuleStep {
  const step = silent();
  updateEagerGeneration(step, 500);
  const said = { ...step.context.userTurn, ...caller };
  return ruleStep({ ...step.context, ...context, userTurn: said }, 3_100, event);
}

const turn = (phase: Extract<CallEvent, { readonly type: 'transcriber.turn' }>['phase']): CallEvent => ({
  type: 'transcriber.turn',
  phase,
  text: TEXT,
  startMs: 1_000,
  endMs: 2_000,
});
const sentence: CallEvent = { type: 'model.sentence', generation: 1, text: 'For how many?' };
const done: CallEvent = {
  type: 'model.done',
  generation: 1,
  finish: 'stop',
  usage: { inputTokens: 10, outputTokens: 5 },
};
const CANCEL = { type: 'model.cancel', generation: 1 };

describe('the model is asked ahead', () => {
  it('once all that was said is final, the user is silent, and enough of the pause is left', () => {
    expect(isAsked(silent(), 200)).toBe(true);
    expect(isAsked(silent(), 199)).toBe(false);
    expect(isAsked(silent({ speaking: true }))).toBe(false);
    expect(isAsked(silent({ interim: { text: 'for', endMs: 2_500 } }))).toBe(false);
    expect(isAsked(silent({ finals: [] }))).toBe(false);
    expect(isAsked(silent({ finals: [], interim: { text: TEXT, endMs: 2_500 } }))).toBe(false);
    expect(isAsked(silent({ finals: ['.'] }))).toBe(false);
  });

  it('where the words may end there', () => {
    expect(isAsked(silent({ finals: ['I want a table.'] }))).toBe(true);
    expect(isAsked(silent({ finals: ['I want a table and'] }))).toBe(false);
    expect(isAsked(silent({ finals: ['My number is five five three'] }))).toBe(false);
  });

  it('on the transcriber’s own word where it detects turns, and on nothing else', () => {
    const said = { finals: [], providerTurn: TEXT };
    expect(isAsked(silent(said, { parameters: NATIVE }, turn('eager_end')), 0)).toBe(true);
    expect(isAsked(silent(said, { parameters: NATIVE }, turn('updated')))).toBe(false);
    expect(isAsked(silent({}, { parameters: NATIVE }))).toBe(false);
  });

  it('only where it would be asked at once, and answers the user', () => {
    const tool = { toolCallId: 'a', name: 'lookup', startedUs: 0, utterance: 0, item: 0 };
    const replying = silent();
    startReply(replying, null);
    expect(isAsked(replying)).toBe(false);
    expect(isAsked(silent({}, { runningTools: [tool] }))).toBe(false);
    expect(isAsked(silent({}, { decidedEnd: 'agent_hangup' }))).toBe(false);
    expect(isAsked(silent({}, { greeting: 'scheduled' }))).toBe(false);
    expect(isAsked(silent({}, { greeting: 'pending' }))).toBe(false);
    expect(isAsked(silent({}, { dtmf: { openEntry: KEYS, entries: [] } }))).toBe(false);
    expect(isAsked(silent({}, { dtmf: { openEntry: null, entries: [KEYS] } }))).toBe(false);
    expect(isAsked(silent({}, { queuedSpeech: ['Wait.'] }))).toBe(false);
  });

  it('no more after three misses in a row, and once for the same words', () => {
    expect(isAsked(silent({}, { eager: { running: null, requestedWords: '', consecutiveMisses: 2 } }))).toBe(true);
    expect(isAsked(silent({}, { eager: { running: null, requestedWords: '', consecutiveMisses: 3 } }))).toBe(false);
    expect(
      isAsked(silent({}, { eager: { running: null, requestedWords: 'i want a table', consecutiveMisses: 0 } })),
    ).toBe(false);
  });
});

describe('what was asked ahead', () => {
  it('is left while the words are the same, marks aside', () => {
    const step = asked(undefined, {}, { finals: ['I want a table.'] });
    updateEagerGeneration(step, 400);
    expect(issuedCommands(step)).toEqual([]);
    expect(step.context.eager.running).not.toBeNull();
  });

  it('is dropped with other words, which are asked instead, and where the transcriber says that the turn goes on', () => {
    const other = asked(undefined, {}, { finals: [TEXT, 'for four'] });
    updateEagerGeneration(other, 400);
    expect(issuedCommands(other)).toMatchObject([CANCEL, { type: 'model.request', generation: 2 }]);
    expect(other.context.eager).toMatchObject({ requestedWords: 'i want a table for four', consecutiveMisses: 1 });
    const goesOn = asked(turn('resumed'));
    updateEagerGeneration(goesOn, 400);
    expect(issuedCommands(goesOn)).toEqual([CANCEL]);
    for (const phase of ['updated', 'eager_end'] as const) {
      const same = asked(turn(phase));
      updateEagerGeneration(same, 400);
      expect(issuedCommands(same)).toEqual([]);
    }
  });

  it('is dropped where the floor goes to somebody else; the same words may be asked again then', () => {
    const step = asked();
    discardEagerGeneration(step);
    expect(issuedCommands(step)).toEqual([CANCEL]);
    expect(step.context).toMatchObject({
      eager: { running: null, requestedWords: '', consecutiveMisses: 1 },
      metrics: { eagerMisses: 1 },
    });
    const whole = asked(sentence);
    onEagerModelEvent(whole);
    const after = ruleStep(whole.context, 3_200, done);
    onEagerModelEvent(after);
    discardEagerGeneration(after);
    // The model had said all.
    expect(issuedCommands(after)).toEqual([]);
    expect(after.context.metrics.eagerMisses).toBe(1);
  });

  it('is kept sentence by sentence, and counted', () => {
    const first = asked({ type: 'model.first_token', generation: 1 });
    onEagerModelEvent(first);
    expect(first.context.eager.running).toMatchObject({ hasFirstToken: true, sentences: [] });
    const second = ruleStep(first.context, 3_200, sentence);
    onEagerModelEvent(second);
    const third = ruleStep(second.context, 3_300, done);
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
    ['says nothing', done, []],
    [
      'calls a tool',
      { type: 'model.tool_call', generation: 1, call: { id: 'a', name: 'b', arguments: '{}' } },
      [CANCEL],
    ],
  ] as const)('is a miss where the model %s', (_, event, orders) => {
    const step = asked(event);
    onEagerModelEvent(step);
    expect(step.context).toMatchObject({ eager: { running: null, consecutiveMisses: 1 }, metrics: { eagerMisses: 1 } });
    expect(issuedCommands(step)).toEqual(orders);
  });

  it('is a miss where the model does not stop', () => {
    const running = asked().context.eager.running;
    if (running === null) throw new Error('it was asked');
    const heldBack = (count: number) => {
      const sentences = Array.from({ length: count }, () => 'Well.');
      const step = asked(sentence, {
        eager: { running: { ...running, sentences }, requestedWords: '', consecutiveMisses: 0 },
      });
      onEagerModelEvent(step);
      return issuedCommands(step);
    };
    expect(heldBack(49)).toEqual([]);
    expect(heldBack(50)).toEqual([CANCEL]);
  });

  it('hears of its own generation alone', () => {
    const events: readonly CallEvent[] = [{ type: 'call.offered' }, { ...sentence, generation: 2 }];
    for (const event of events) {
      const step = asked(event);
      onEagerModelEvent(step);
      expect(step.context.eager).toEqual(asked().context.eager);
    }
    const nothing = silent({}, {}, sentence);
    onEagerModelEvent(nothing);
    expect(nothing.context.eager.running).toBeNull();
  });
});

describe('a turn that was taken', () => {
  function taken(text: string, context: Partial<CallContext> = {}): RuleStep {
    const step = asked(undefined, context);
    addUserText(step, text);
    startReply(step, null);
    return step;
  }

  it('is answered by what was asked ahead with its very words', () => {
    const step = taken('I want a table.', { eager: { ...asked().context.eager, consecutiveMisses: 2 } });
    expect(adoptEagerGeneration(step)).toBe(true);
    expect(step.context).toMatchObject({
      eager: { running: null, consecutiveMisses: 0 },
      metrics: { eagerHits: 1, eagerMisses: 0 },
      reply: { generation: { number: 1 } },
    });
  });

  it('is not, where its words are others, or the model would be told something else now', () => {
    const others = taken('I want a chair');
    expect(adoptEagerGeneration(others)).toBe(false);
    expect(issuedCommands(others)).toEqual([CANCEL]);
    const told = taken(TEXT, { notes: ['It was paid.'] });
    expect(adoptEagerGeneration(told)).toBe(false);
    expect(issuedCommands(told)).toEqual([CANCEL]);
    expect(told.context.metrics).toMatchObject({ eagerHits: 0, eagerMisses: 1 });
  });

  it('is not, where nothing was asked, or nothing was said', () => {
    const unasked = silent();
    addUserText(unasked, TEXT);
    expect(adoptEagerGeneration(unasked)).toBe(false);
    const nobody = asked();
    expect(adoptEagerGeneration(nobody)).toBe(false);
    expect([...issuedCommands(unasked), ...issuedCommands(nobody)]).toEqual([]);
  });
});
