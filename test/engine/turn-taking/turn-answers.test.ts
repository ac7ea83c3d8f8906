import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { PendingTurn, Reply } from '../../../engine/core/state/playout-slice.ts';
import { NO_SPEECH } from '../../../engine/core/state/speech-timeline.ts';
import { changeReply, speakSegment, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem } from '../../../engine/transcript/history.ts';
import { answerTypedEntry, commitLastTurn } from '../../../engine/turn-taking/answer-typed-entry.ts';
import { answerCorrection } from '../../../engine/turn-taking/correction.ts';
import {
  commitUnanswered,
  hasMoreWords,
  isEndDecided,
  isReplyOutdated,
  isTurnPending,
  releaseReply,
  withdrawReply,
  withholdReply,
} from '../../../engine/turn-taking/pending-turn.ts';
import { answerPendingResponse, answerUserTurn, sayInitialMessage } from '../../../engine/turn-taking/turn-taking.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const NOW_MS = 5_000;
const NO_EVENT: CallEvent = { type: 'call.offered' };
const ASKED = 'I want a table';
const DIGITS = { type: 'digits' as const, digits: '1', startUs: 0, endUs: 0, activityEndedUs: null };
const VARIABLES = { variables: [{ name: 'size' }] };
const CONSENT = { recording_consent: { announcement: 'This call is recorded.' } };
const { consent, dtmf, fillers } = ruleStep().context;
/** The user has heard the announcement of the recording and has not answered it. */
const ANNOUNCED: Partial<CallContext> = {
  agent: agentWith(CONSENT),
  consent: { ...consent, announcedBy: 1, isHeard: true },
};

const speechOf = (text: string) =>
  revise(NO_SPEECH, { text, startMs: 0, endMs: 900, words: [], isFinal: true }, { activityStartMs: 0, wordErrorMs: 0 });
const userSaid = (text: string) => ({
  ...ruleStep().context.userTurn,
  speech: speechOf(text),
  startedUs: 0,
  endedUs: 900_000,
});
const typesOf = (step: RuleStep) => issuedCommands(step).map(({ type }) => type);
const hasExtraction = (step: RuleStep) => step.context.extraction.running !== null;
const timersOf = (step: RuleStep) =>
  step.commands.flatMap((command) =>
    command.type === 'timer.start' || command.type === 'timer.stop' ? [`${command.type} ${command.timer}`] : [],
  );

function pendingStep(
  pending: Partial<PendingTurn> = {},
  reply: Partial<Reply> = {},
  changes: Partial<CallContext> = {},
): RuleStep {
  const step = ruleStep({ userTurn: userSaid(ASKED), ...changes }, NOW_MS);
  startReply(step, null);
  const turn: PendingTurn = {
    phase: 'ended',
    text: ASKED,
    item: step.nextNumber('item'),
    request: null,
    endedUs: 0,
    wasResponsePending: false,
  };
  changeReply(step, { requestPending: true, ...reply, pending: { ...turn, ...pending } });
  return step;
}

describe('without a reply', () => {
  it('no turn is pending, and nothing is withheld, withdrawn or released', () => {
    const step = ruleStep({}, NOW_MS);
    const { context } = step;
    const event = { ...NO_EVENT, time: step.time };
    expect([isTurnPending(context), isEndDecided(context), hasMoreWords(context)]).toEqual([false, false, false]);
    expect(isReplyOutdated(context, event)).toBe(false);
    withholdReply(step);
    withdrawReply(step);
    releaseReply(step);
    expect(step.context.reply).toBeNull();
    expect(step.commands).toEqual([]);
  });

  it('a turn is pending until it is committed', () => {
    expect(isTurnPending(pendingStep().context)).toBe(true);
    const committed = pendingStep();
    commitUnanswered(committed);
    expect(isTurnPending(committed.context)).toBe(false);
  });
});

describe('a pending turn that is committed without its answer', () => {
  it('leaves no playback paused', () => {
    const withheld = pendingStep({ phase: 'withheld' });
    commitUnanswered(withheld);
    expect(typesOf(withheld)).toContain('playout.resume');
    const ended = pendingStep();
    commitUnanswered(ended);
    expect(typesOf(ended)).not.toContain('playout.resume');
  });

  it('answers the announcement of the recording', () => {
    const step = pendingStep({}, {}, ANNOUNCED);
    commitUnanswered(step);
    expect(step.context.consent.answer).toBe('given');
  });
});

describe('an answer whose user makes a sound', () => {
  it('is outdated while they enter digits', () => {
    const step = pendingStep({}, {}, { dtmf: { ...dtmf, openEntry: DIGITS } });
    expect(isReplyOutdated(step.context, { ...NO_EVENT, time: step.time })).toBe(true);
  });

  it('is followed by no filler until their turn has ended again', () => {
    const step = pendingStep({}, {}, { fillers: { ...fillers, isTimed: true, pendingSinceUs: 0 } });
    withholdReply(step);
    expect(timersOf(step)).toContain('timer.stop filler');
    expect(step.context.fillers).toMatchObject({ isTimed: false, pendingSinceUs: 0 });
  });

  it('stops its timers once it is withdrawn, and counts as cancelled if they have waited', () => {
    const waited = { fillers: { ...fillers, pendingSinceUs: 0 } };
    const step = pendingStep({}, {}, waited);
    withdrawReply(step);
    expect(timersOf(step)).toContain('timer.stop generation');
    expect(step.context.unheardAnswers).toBe(1);
  });

  it('has spent the voice of its first clause', () => {
    const withheldSentences = [{ item: 1, text: 'Yes.', isVoiced: true }];
    const step = pendingStep({ phase: 'ahead' }, { withheldSentences });
    withdrawReply(step);
    expect(step.context.eager.discardedClauses).toBe(1);
  });
});

describe('an answer that may be heard now', () => {
  it('is that to the announcement of the recording', () => {
    const step = pendingStep({ phase: 'withheld' }, {}, ANNOUNCED);
    releaseReply(step);
    expect(step.context.consent.answer).toBe('given');
  });

  it('is followed by a filler if it takes long, and by the extraction of variables', () => {
    const step = pendingStep({ phase: 'withheld' }, {}, { agent: agentWith(VARIABLES) });
    releaseReply(step);
    expect(timersOf(step)).toContain('timer.start filler');
    expect(hasExtraction(step)).toBe(true);
  });

  it('has a bound for its playout after a pause', () => {
    const step = pendingStep({ phase: 'withheld' });
    speakSegment(step, addAgentItem(step), 'Yes.');
    const segments = step.context.reply?.segments.map((segment) => ({ ...segment, voiceStartedUs: 0 })) ?? [];
    changeReply(step, { segments });
    releaseReply(step);
    expect(timersOf(step)).toContain('timer.start playout');
  });
});

describe('an answer that corrects another one', () => {
  const corrections = [{ item: 1, words: 'I want no table' }];
  const turn = { number: 1, speechEndedUs: 0, endedUs: 0 };
  const correct = (played: readonly boolean[] | null) => {
    const step = ruleStep({ corrections }, NOW_MS);
    if (played !== null) {
      startReply(step, turn);
      for (let at = 0; at < played.length; at++) speakSegment(step, addAgentItem(step), 'A table it is.');
      const segments = step.context.reply?.segments ?? [];
      const playout = { startedUs: 0, startMs: 0 };
      changeReply(step, {
        segments: segments.map((segment, at) => (played[at] ? { ...segment, playout, ended: true } : segment)),
      });
    }
    answerCorrection(step);
    return step.context;
  };

  it('names the wrong one if a part of it was heard', () => {
    for (const played of [[true], [true, false]]) {
      const context = correct(played);
      expect(context.reply).toMatchObject({ corrections, turn: null, requestPending: true });
      expect(context.corrections).toEqual([]);
    }
  });

  it('replaces it if nothing of it was heard', () => {
    expect(correct([false]).reply).toMatchObject({ corrections: [], turn, requestPending: true });
    expect(correct([]).reply).toMatchObject({ corrections: [], turn });
  });

  it('follows one that has ended', () => {
    expect(correct(null).reply).toMatchObject({ corrections, turn: null, requestPending: true });
  });
});

describe('the answer to typed entries', () => {
  const typed = (changes: Partial<CallContext> = {}) => {
    const step = ruleStep({ dtmf: { ...dtmf, entries: [DIGITS] }, initialMessage: 'done', ...changes }, NOW_MS);
    answerTypedEntry(step);
    return step;
  };

  it('is the model’s, and their variables are extracted', () => {
    const step = typed({ agent: agentWith(VARIABLES) });
    expect(step.context.reply).toMatchObject({ requestPending: true, turn: { number: 1 } });
    expect(step.raised).toContainEqual({ type: 'engine.generate' });
    expect(hasExtraction(step)).toBe(true);
  });

  it('ends the call if they refuse the recording, and the agent hangs up then', () => {
    const agent = agentWith({ recording_consent: { ...CONSENT.recording_consent, on_refusal: 'hang_up' } });
    const step = typed({ agent, consent: { ...consent, answer: 'refused' } });
    expect(step.context.decidedEnd).toBe('agent_hangup');
    const pending = ruleStep({ agent, consent: { ...consent, answer: 'refused' }, pendingResponse: true }, NOW_MS);
    answerPendingResponse(pending);
    expect(pending.context).toMatchObject({ decidedEnd: 'agent_hangup', pendingResponse: false });
  });

  it('follows the initial message', () => {
    const step = typed({ agent: agentWith({ initial_message: 'Hello.' }), initialMessage: 'scheduled' });
    expect(step.context).toMatchObject({ initialMessage: 'done', pendingResponse: true });
    expect(step.raised).toEqual([]);
  });

  it('is left out at the end of the call, with its words and digits in the history', () => {
    const ended = (changes: Partial<CallContext>) => {
      const step = ruleStep({ agent: agentWith(VARIABLES), ...changes }, NOW_MS);
      commitLastTurn(step);
      return step;
    };
    const texts = (step: RuleStep) => step.context.history.map((item) => (item.type === 'user' ? item.text : ''));
    expect(texts(ended({ userTurn: userSaid(ASKED) }))).toEqual([ASKED]);
    expect(texts(ended({ dtmf: { ...dtmf, entries: [DIGITS] } }))).toEqual(['[pressed the keys 1]']);
    expect(texts(ended({ dtmf: { ...dtmf, openEntry: DIGITS } }))).toEqual(['[pressed the keys 1]']);
    expect(hasExtraction(ended({ userTurn: userSaid(ASKED) }))).toBe(true);
    expect(ended({}).context.counters.turn).toBe(0);
  });
});

describe('the first turn of the user', () => {
  const answered = (changes: Partial<CallContext> = {}) => {
    const agent = agentWith({ initial_message: 'Hello.', ...VARIABLES });
    const step = ruleStep({ agent, initialMessage: 'scheduled', userTurn: userSaid('Hello?'), ...changes }, NOW_MS);
    answerUserTurn(step);
    return step;
  };

  it('is answered by the initial message, which is the only answer to a greeting', () => {
    expect(answered().context).toMatchObject({ pendingResponse: false, reply: { turn: { number: 1 } } });
    expect(answered({ userTurn: userSaid('Who are you?') }).context.pendingResponse).toBe(true);
    expect(answered({ dtmf: { ...dtmf, entries: [DIGITS] } }).context.pendingResponse).toBe(true);
    const parameters = { ...CALL_PARAMETERS, direction: 'outbound' as const };
    expect(answered({ userTurn: userSaid('Who are you?'), parameters }).context.pendingResponse).toBe(false);
  });

  it('has its variables extracted, and the timer of the message stops', () => {
    expect(hasExtraction(answered())).toBe(true);
    expect(timersOf(answered())).toContain('timer.stop initial_message');
  });

  it('is answered by the model if the message is empty once it is filled in', () => {
    const agent = agentWith({ initial_message: '{{greeting}}' });
    expect(answered({ agent }).context).toMatchObject({ initialMessage: 'done', reply: { requestPending: true } });
  });

  it('later ones are pending until their answer is heard, but those with digits are committed', () => {
    const later = answered({ initialMessage: 'done' });
    expect(later.context.reply?.pending).toMatchObject({ phase: 'ended', text: 'Hello?', endedUs: NOW_MS * 1000 });
    expect(hasExtraction(later)).toBe(true);
    const digits = answered({ initialMessage: 'done', dtmf: { ...dtmf, entries: [DIGITS] } });
    expect(digits.context.reply).toMatchObject({ pending: null, turn: { number: 1 }, requestPending: true });
    const monologue = answered({ initialMessage: 'done', userTurn: { ...userSaid(ASKED), overMonologueLimit: true } });
    expect(monologue.context.reply).toMatchObject({ pending: null, interruptible: false });
  });
});

describe('texts with a hole', () => {
  it('are said all the same in the initial message and the announcement', () => {
    const agent = agentWith({
      initial_message: 'Hello {{name}}, it is me.',
      recording_consent: { announcement: '{{company}} records this call.' },
    });
    const step = ruleStep({ agent, initialMessage: 'scheduled' }, NOW_MS);
    sayInitialMessage(step);
    expect(step.context.reply?.segments.map(({ text }) => text)).toEqual(['records this call.', 'Hello, it is me.']);
    expect(timersOf(step)).toContain('timer.stop initial_message');
  });
});
