import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { EngineEvent, RuleStep } from '../../../engine/core/rule-step.ts';
import { RuleStep as Step } from '../../../engine/core/rule-step.ts';
import type { Reply } from '../../../engine/core/state/playout-slice.ts';
import { OPEN_USER } from '../../../engine/core/state/turn-draft.ts';
import {
  countAmendment,
  countEagerHit,
  countEagerMiss,
  countInTurn,
  countInterruption,
  countTokens,
} from '../../../engine/metrics/conversation-metrics.ts';
import { closeLastTurn, lastTurn, recordTurn, reopenRecord } from '../../../engine/metrics/record-turn.ts';
import { changeReply, speakSegment, startReply } from '../../../engine/playout/reply.ts';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import { addAgentItem } from '../../../engine/transcript/history.ts';
import { HANG_UP_AFTER_GOODBYE, ruleStep } from '../simulation/rule-step.ts';

const NO_EVENT: CallEvent = { type: 'call.offered' };
const SPEECH_ENDED_US = 1_500_000;
const ENDED_US = 1_700_000;
/** Requests, fillers and tools of one turn that are recorded. */
const RECORDED_MAX = 32;

/** One rule after another, each with the records that follow from it. */
class Rules {
  context: CallContext;
  readonly written: { readonly record: TurnRecord; readonly isClosed: boolean }[] = [];

  constructor(changes: Partial<CallContext> = {}) {
    this.context = ruleStep(changes).context;
  }

  apply(atMs: number, rule: (step: RuleStep) => void, event: CallEvent | EngineEvent = NO_EVENT): this {
    const before = this.context;
    const step = new Step(before, event, { atUs: atMs * 1000, audioClock: { epochUs: 0, gaps: [] }, audioMs: atMs });
    rule(step);
    recordTurn(before, step);
    this.#keep(step);
    return this;
  }

  /** A rule of the metrics themselves. */
  count(atMs: number, rule: (step: RuleStep) => void): this {
    const step = ruleStep(this.context, atMs);
    rule(step);
    this.#keep(step);
    return this;
  }

  #keep(step: RuleStep): void {
    this.context = step.context;
    for (const command of step.commands) {
      if (command.type !== 'journal.write' || command.entry.type !== 'turn') continue;
      this.written.push({ record: command.entry.record, isClosed: command.entry.isClosed });
    }
  }

  get current(): TurnRecord | undefined {
    return lastTurn(this.context.metrics)?.record;
  }
}

const commit =
  (changes: Partial<CallContext> = {}) =>
  (step: RuleStep) => {
    const number = step.nextNumber('turn');
    step.change(changes);
    startReply(step, { number, speechEndedUs: SPEECH_ENDED_US, endedUs: ENDED_US });
  };
const answer = (step: RuleStep) => speakSegment(step, addAgentItem(step), 'Yes.');
const changeSegment =
  (changes: Partial<Reply['segments'][number]>, number = 1) =>
  (step: RuleStep) =>
    changeReply(step, {
      segments: (step.context.reply?.segments ?? []).map((segment) =>
        segment.number === number ? { ...segment, ...changes } : segment,
      ),
    });
const started = (segment: number): CallEvent => ({ type: 'voice.started', segment });
const heard = (segment: number, utterance = 1): CallEvent => ({
  type: 'media.segment_started',
  segment,
  utterance,
  playedMs: 0,
});

describe('the end of a committed turn', () => {
  const endedBy = (changes: Partial<CallContext>, event?: CallEvent | EngineEvent) =>
    new Rules(changes).apply(2_000, commit(), event).current?.user?.endedBy;
  const { dtmf, userTurn } = ruleStep().context;
  const digits = { type: 'digits' as const, digits: '1', startUs: 0, endUs: 0, activityEndedUs: null };
  const end = { by: 'pause' as const, score: 1, reasons: ['sentence_mark' as const] };

  it('is the one that the rules have found', () => {
    expect(endedBy({ userTurn: { ...userTurn, complete: true, end } })).toBe('pause');
    expect(endedBy({ userTurn: { ...userTurn, complete: false, end } })).toBe('other');
    expect(endedBy({ userTurn: { ...userTurn, complete: true } })).toBe('other');
  });

  it('is a DTMF entry, also one that is still open', () => {
    expect(endedBy({ dtmf: { ...dtmf, entries: [digits] } })).toBe('dtmf');
    expect(endedBy({ dtmf: { ...dtmf, openEntry: digits } })).toBe('dtmf');
  });

  it('is the end of the call, if that is decided or has come', () => {
    expect(endedBy({ endReason: 'terminated' })).toBe('call_end');
    expect(endedBy({ decidedEnd: 'agent_hangup' })).toBe('call_end');
    expect(endedBy({}, { type: 'engine.conversation_over' })).toBe('call_end');
    const ending = ruleStep();
    startReply(ending, null);
    expect(endedBy({ reply: ending.context.reply })).toBe('other');
    changeReply(ending, { followUp: HANG_UP_AFTER_GOODBYE });
    expect(endedBy({ reply: ending.context.reply })).toBe('call_end');
  });
});

describe('the stages of an answer', () => {
  const answered = () => new Rules().apply(2_000, commit()).apply(2_100, answer);

  it('are the text for the voice, its audio, and the first packet on the wire', () => {
    const rules = answered()
      .apply(2_300, changeSegment({ voiceStartedUs: 2_300_000 }), started(1))
      .apply(2_400, changeSegment({ playout: { startedUs: 2_400_000, startMs: 0 } }), heard(1));
    const sinceSpeechMs = (atMs: number) => atMs - SPEECH_ENDED_US / 1000;
    expect(rules.current).toMatchObject({
      user: { endedMs: sinceSpeechMs(ENDED_US / 1000), committedMs: sinceSpeechMs(2_000) },
      voiceRequestedMs: sinceSpeechMs(2_100),
      firstAudioMs: sinceSpeechMs(2_300),
      heardMs: sinceSpeechMs(2_400),
      answerHeardMs: sinceSpeechMs(2_400),
    });
    expect(rules.written).toEqual([{ record: rules.current, isClosed: false }]);
  });

  it('are those of its first text', () => {
    const rules = answered()
      .apply(2_150, answer)
      .apply(2_300, changeSegment({ voiceStartedUs: 2_300_000 }), started(1))
      .apply(2_350, changeSegment({ voiceStartedUs: 2_350_000 }, 2), started(2))
      .apply(2_400, changeSegment({ playout: { startedUs: 2_400_000, startMs: 0 } }), heard(1))
      .apply(2_900, changeSegment({ playout: { startedUs: 2_900_000, startMs: 500 } }, 2), heard(2));
    expect(rules.current).toMatchObject({ voiceRequestedMs: 600, firstAudioMs: 800, heardMs: 900, answerHeardMs: 900 });
    expect(rules.written).toHaveLength(1);
  });

  it('are not those of a filler before it, which is the first sound', () => {
    const rules = answered()
      .apply(2_110, (step) => changeReply(step, { fillerSegments: [1] }))
      .apply(2_300, changeSegment({ voiceStartedUs: 2_300_000 }), started(1))
      .apply(2_400, changeSegment({ playout: { startedUs: 2_400_000, startMs: 0 } }), heard(1));
    expect(rules.current).toMatchObject({ firstAudioMs: null, heardMs: 900, answerHeardMs: null, fillersMs: [900] });
    rules
      .apply(3_000, answer)
      .apply(3_100, changeSegment({ voiceStartedUs: 3_100_000 }, 2), started(2))
      .apply(3_200, changeSegment({ playout: { startedUs: 3_200_000, startMs: 500 } }, 2), heard(2));
    expect(rules.current).toMatchObject({ firstAudioMs: 1_600, heardMs: 900, answerHeardMs: 1_700, fillersMs: [900] });
  });

  it('are not those of another reply or of an unknown segment', () => {
    const rules = answered()
      .apply(2_400, changeSegment({ voiceStartedUs: 2_300_000 }), heard(1, 7))
      .apply(2_500, changeSegment({ voiceStartedUs: 2_310_000 }), heard(9));
    expect(rules.current).toMatchObject({ heardMs: null, answerHeardMs: null });
  });

  it('are limited to the first requests and tools of a turn', () => {
    const rules = new Rules().apply(2_000, commit());
    for (let request = 0; request < RECORDED_MAX + 2; request++) {
      rules.apply(2_100 + request, (step) => {
        changeReply(step, { modelRequests: request });
        step.command({
          type: 'model.request',
          generation: request,
          request: { provider: 'test', model: 'model', messages: [], functions: [] },
        });
        const tool = { toolCallId: `${request}`, name: 'lookup', startedUs: step.nowUs, reply: 1, item: 1 };
        step.change({ runningTools: [...step.context.runningTools, tool] });
      });
    }
    expect(rules.current?.askedMs).toHaveLength(RECORDED_MAX);
    expect(rules.current?.askedMs[0]).toBe(600);
    expect(rules.current?.tools.map(({ toolCallId }) => toolCallId).at(-1)).toBe(`${RECORDED_MAX - 1}`);
  });

  it('include each tool once, from its start to its end', () => {
    const tool = (toolCallId: string, startedUs: number) => ({
      toolCallId,
      name: 'lookup',
      startedUs,
      reply: 1,
      item: 1,
    });
    const [first, second] = [tool('a', 2_100_000), tool('b', 2_200_000)];
    const rules = new Rules()
      .apply(2_100, (step) => step.change({ runningTools: [first] }))
      .apply(2_000, commit())
      .apply(2_100, (step) => step.change({ runningTools: [first, second] }))
      .apply(2_500, (step) => step.change({ runningTools: [first] }))
      .apply(2_900, (step) => step.change({ runningTools: [] }));
    expect(rules.current?.tools).toEqual([{ toolCallId: 'b', name: 'lookup', startedMs: 700, endedMs: 1_000 }]);
  });
});

describe('a reply that answers no user turn', () => {
  it('has its own record, unless it was dropped before its first packet', () => {
    const rules = new Rules().apply(2_000, (step) => startReply(step, null));
    expect(rules.context.metrics.currentTurn).toMatchObject({ number: 1, user: null, utterance: 1 });
    expect(rules.current).toBeUndefined();
    rules.apply(2_100, answer).apply(2_400, changeSegment({ playout: { startedUs: 2_400_000, startMs: 0 } }), heard(1));
    expect(rules.current).toMatchObject({ turn: 1, user: null, heardMs: 400 });
  });

  it('has a record if the user has interrupted or paused it', () => {
    const silent = () => new Rules().apply(2_000, (step) => startReply(step, null));
    expect(silent().count(2_100, countInterruption).current).toMatchObject({ interrupted: true });
    const paused = silent().count(2_100, (step) => countInTurn(step, 'falseInterruptions'));
    expect(paused.current).toMatchObject({ falseInterruptions: 1 });
    expect(silent().count(2_100, (step) => countInTurn(step, 'ducked')).current).toBeUndefined();
  });

  it('closes the turn before it', () => {
    const rules = new Rules().apply(2_000, commit()).apply(5_000, (step) => startReply(step, null));
    expect(rules.written.map(({ record, isClosed }) => [record.turn, isClosed])).toEqual([[1, true]]);
    expect(rules.context.metrics.currentTurn).toMatchObject({ number: 2, user: null });
    expect(rules.context.metrics.turns.map(({ turn }) => turn)).toEqual([1]);
  });
});

describe('another answer to the current turn', () => {
  const answersAgain = (number: number) => (step: RuleStep) =>
    startReply(step, { number, speechEndedUs: SPEECH_ENDED_US, endedUs: ENDED_US });

  it('corrects the one before it, in the same record', () => {
    const rules = new Rules().apply(2_000, commit()).apply(2_100, answer).apply(2_500, answersAgain(1));
    expect(rules.current).toMatchObject({ turn: 1, utterance: 2, voiceRequestedMs: null, user: { corrected: true } });
    expect(rules.written).toEqual([]);
  });

  it('corrects nothing if there was none yet', () => {
    const rules = new Rules().apply(2_000, (step) => void step.nextNumber('turn')).apply(2_500, answersAgain(1));
    expect(rules.current).toMatchObject({ turn: 1, utterance: 1, user: { corrected: false } });
  });

  it('to another turn begins another record', () => {
    const rules = new Rules().apply(2_000, commit()).apply(2_500, answersAgain(7));
    expect(rules.written.map(({ isClosed }) => isClosed)).toEqual([true]);
    expect(rules.context.metrics.currentTurn).toMatchObject({ number: 2, user: null });
  });

  it('that corrects an older turn keeps the part of the wrong answer that was heard', () => {
    const corrections = [{ item: 1, words: 'no' }];
    const rules = new Rules()
      .apply(2_000, commit())
      .apply(2_100, answer)
      .apply(2_300, changeSegment({ voiceStartedUs: 2_300_000 }), started(1))
      .apply(2_500, (step) => {
        startReply(step, null);
        changeReply(step, { corrections });
      });
    expect(rules.current).toMatchObject({ turn: 1, utterance: 1, firstAudioMs: 800, user: { corrected: true } });
  });
});

describe('a turn that goes on after its commit', () => {
  it('keeps its record and its number, without the answer that was not heard', () => {
    const rules = new Rules().apply(2_000, commit()).apply(2_100, answer).count(2_200, reopenRecord);
    expect(rules.current).toBeUndefined();
    expect(rules.context.metrics).toMatchObject({
      turnCount: 0,
      pendingTurn: { utterance: null, voiceRequestedUs: null, user: { reopened: 1, end: null, endedUs: null } },
    });
    rules.apply(4_000, commit());
    expect(rules.current).toMatchObject({ turn: 1, user: { reopened: 1 } });
    expect(rules.written).toEqual([]);
  });

  it('needs a turn of the user', () => {
    const rules = new Rules().apply(2_000, (step) => startReply(step, null));
    const { metrics } = rules.context;
    expect(rules.count(2_200, reopenRecord).context.metrics).toBe(metrics);
    expect(new Rules().count(0, reopenRecord).context.metrics.pendingTurn).toBeNull();
  });
});

describe('a pending turn', () => {
  const ask = (endedUs: number | null) => (step: RuleStep) => {
    startReply(step, null);
    changeReply(step, {
      pending: { phase: 'ended', text: 'A', item: 1, request: null, endedUs, wasResponsePending: false },
    });
  };
  const draftAfter = (rules: Rules) => rules.context.metrics.pendingTurn;
  const noise = (step: RuleStep) =>
    step.change({ reply: null, userTurn: { ...step.context.userTurn, speaking: false } });

  it('has the number of its reply, and the time of its end', () => {
    expect(draftAfter(new Rules().apply(2_000, ask(2_000_000)))).toMatchObject({
      utterance: 1,
      user: { endedUs: 2_000_000, reopened: 0 },
    });
    expect(draftAfter(new Rules().apply(2_000, ask(null)))?.user).toEqual(OPEN_USER);
  });

  it('was reopened if its answer is withdrawn after a certain end', () => {
    const withdraw = (step: RuleStep) => step.change({ reply: null });
    const certain = new Rules().apply(2_000, ask(2_000_000)).apply(2_500, withdraw);
    expect(draftAfter(certain)).toMatchObject({ utterance: null, user: { reopened: 1, endedUs: null, end: null } });
    const ahead = new Rules().apply(2_000, ask(null)).apply(2_500, withdraw);
    expect(draftAfter(ahead)?.user).toMatchObject({ reopened: 0, endedUs: null });
  });

  it('is forgotten if its words were noise, and kept while the user has begun a turn', () => {
    expect(draftAfter(new Rules().apply(2_000, ask(2_000_000)).apply(2_500, noise))).toBeNull();
    const speaking = new Rules({ userTurn: { ...ruleStep().context.userTurn, startedUs: 0 } });
    expect(draftAfter(speaking.apply(2_000, ask(2_000_000)).apply(2_500, noise))).not.toBeNull();
  });
});

describe('what is counted in a turn', () => {
  it('is counted in the turn whose answer was heard last', () => {
    const rules = new Rules()
      .apply(2_000, commit())
      .count(2_100, (step) => countInTurn(step, 'echoWords', 3))
      .count(2_200, (step) => countInTurn(step, 'echoWords', 2))
      .count(2_300, (step) => countInTurn(step, 'ducked'));
    expect(rules.current).toMatchObject({ echoWords: 5, ducked: 1, falseInterruptions: 0, interrupted: false });
    expect(new Rules().count(0, (step) => countInTurn(step, 'ducked')).context.metrics.currentTurn).toBeNull();
    expect(new Rules().count(0, countInterruption).context.metrics.currentTurn).toBeNull();
  });

  it('include only the amendments of the transcript entry of that turn', () => {
    const committed = () => {
      const lastTurn = { entry: { sequence: 5, startUs: 0 }, endUs: 0, item: 1, text: 'A' };
      return new Rules().apply(2_000, commit({ lastTurn }));
    };
    const amended = (sequence: number) => (step: RuleStep) => countAmendment(step, sequence);
    expect(committed().current?.user?.sequence).toBe(5);
    expect(committed().count(2_100, amended(5)).current?.user?.amended).toBe(1);
    expect(committed().count(2_100, amended(4)).current?.user?.amended).toBe(0);
    const greeting = new Rules().apply(0, (step) => startReply(step, null)).count(1, amended(5));
    expect(greeting.context.metrics.currentTurn?.user).toBeNull();
  });

  it('are the eager answers that were used, and those that were not', () => {
    const rules = new Rules().count(0, countEagerMiss).count(0, countEagerMiss);
    expect(rules.context.metrics).toMatchObject({ eagerHits: 0, eagerMisses: 2 });
    expect(rules.context.eager).toEqual({ ...ruleStep().context.eager, consecutiveMisses: 2 });
    rules.count(0, countEagerHit);
    expect(rules.context.metrics).toMatchObject({ eagerHits: 1, eagerMisses: 2 });
    expect(rules.context.eager).toEqual(ruleStep().context.eager);
  });

  it('are the tokens that the model reports', () => {
    const usage = { inputTokens: 10, outputTokens: 4 };
    const rules = new Rules().count(0, (step) => countTokens(step, usage)).count(0, (step) => countTokens(step, usage));
    expect(rules.context.metrics).toMatchObject({ inputTokens: 20, outputTokens: 8 });
    expect(rules.count(0, (step) => countTokens(step, undefined)).context.metrics.inputTokens).toBe(20);
  });
});

it('the last turn is written with the end of the call, once', () => {
  const rules = new Rules().apply(2_000, commit()).count(3_000, closeLastTurn).count(3_000, closeLastTurn);
  expect(rules.written.map(({ record, isClosed }) => [record.turn, isClosed])).toEqual([[1, true]]);
  expect(rules.context.metrics.turns).toHaveLength(1);
});
