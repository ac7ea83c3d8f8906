import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { DETECTION_OFF } from '../../../engine/core/state/answering-machine-slice.ts';
import { NO_FAILURES } from '../../../engine/core/state/failover-slice.ts';
import type { FillersState } from '../../../engine/core/state/fillers-slice.ts';
import { FIRST_ATTEMPT, type Generation } from '../../../engine/core/state/generation-slice.ts';
import type { Interruption } from '../../../engine/core/state/interruption-slice.ts';
import type { PendingTurn, Reply } from '../../../engine/core/state/playout-slice.ts';
import { SILENT_USER, type UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { onFillerTimer, watchSilence, withdrawWait } from '../../../engine/fillers/filler.ts';
import { changeReply, speakSegment, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem, agentItem } from '../../../engine/transcript/history.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep, spokenTexts } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

/** From the last sound to the first filler, and from a filler to the next one. */
const SILENCE_MS = 3_000;
const REPEAT_MS = 8_500;
/** A model that was just asked, or that has just begun its answer, gets this time. */
const ANSWER_MS = 1_000;
/** A user who speaks this long after the request has waited. */
const WAITED_MS = 2_000;
const RECHECK_MS = 1_000;
/** A sound of this length without words is not the user's speech; the second, if no interims are known to come. */
const NOISE_MS = 3_000;
const UNREPORTED_MS = 10_000;

const WORDS_END_MS = 1_000;
const ASKED_MS = 1_200;
const NOW_MS = 2_000;
const THINKING_FILLER = 'One moment, please.';
const REPEATED_FILLER = 'One moment please, I am still on it.';

const GENERATION: Generation = {
  number: 1,
  item: 1,
  stateIndex: 0,
  requestedUs: ASKED_MS * 1000,
  firstTokenUs: null,
  toolCalls: [],
  spoke: false,
  model: 'test model',
  attempts: FIRST_ATTEMPT,
  backingOff: false,
  hasEnded: false,
  failure: null,
};
const PENDING: PendingTurn = {
  phase: 'ended',
  text: 'What is it?',
  item: 1,
  request: null,
  endedUs: ASKED_MS * 1000,
  wasResponsePending: false,
};
const TURN = { number: 1, speechEndedUs: WORDS_END_MS * 1000, endedUs: ASKED_MS * 1000 };
const TOOL = { toolCallId: 'call_1', name: 'lookup', startedUs: 0, reply: 1, item: 7 };

interface Wait {
  readonly atMs?: number;
  readonly fillers?: Partial<FillersState>;
  /** The reply that answers the user; null for none. */
  readonly reply?: Partial<Reply> | null;
  readonly userTurn?: Partial<UserTurn>;
  readonly context?: Partial<CallContext>;
}

/** The user has asked something up to `WORDS_END_MS`, and the model was asked at `ASKED_MS`. */
function waiting({ atMs = NOW_MS, fillers = {}, reply = {}, userTurn = {}, context = {} }: Wait = {}): RuleStep {
  const step = ruleStep(
    {
      fillers: { agentSoundUs: 0, afterFiller: false, pendingSinceUs: ASKED_MS * 1000, isTimed: false, ...fillers },
      userTurn: { ...SILENT_USER, ...userTurn },
      ...context,
    },
    atMs,
  );
  if (reply !== null) {
    startReply(step, TURN);
    changeReply(step, { generation: GENERATION, ...reply });
  }
  return step;
}

/** The user speaks from then on, and these words of it are final. */
const spoken = (fromMs: number, toMs: number, text: string): Partial<UserTurn> => ({
  activityStartedUs: fromMs * 1000,
  speech: speechOf({ finals: [text], finalEndMs: toMs }),
});

const clockCommands = (step: RuleStep) => issuedCommands(step).filter(({ type }) => type.startsWith('timer.'));
const started = (delayMs: number) => [{ type: 'timer.start', timer: 'filler', delayMs }];
const STOPPED = [{ type: 'timer.stop', timer: 'filler' }];

function watched(wait: Wait = {}) {
  const step = waiting(wait);
  watchSilence(step);
  return { clock: clockCommands(step), ...step.context.fillers };
}

describe('the clock of silence', () => {
  it.each<[string, Wait, number]>([
    ['the end of the user’s words', {}, WORDS_END_MS + SILENCE_MS],
    ['a later sound of the agent', { fillers: { agentSoundUs: 1_800_000 } }, 1_800 + SILENCE_MS],
    ['a filler', { fillers: { agentSoundUs: 1_800_000, afterFiller: true } }, 1_800 + REPEAT_MS],
    ['words after the turn', { userTurn: spoken(1_500, 1_900, 'And where is it?') }, 1_900 + SILENCE_MS],
    [
      'words after a filler',
      {
        fillers: { agentSoundUs: 1_300_000, afterFiller: true },
        userTurn: spoken(1_500, 1_900, 'And where is it?'),
      },
      1_900 + SILENCE_MS,
    ],
    [
      'the words that are to be answered, an attention call too',
      { reply: { turn: null, pending: PENDING }, userTurn: spoken(1_500, 1_900, 'Hello?') },
      1_900 + SILENCE_MS,
    ],
  ])('counts from %s', (_from, wait, dueMs) => {
    expect(watched(wait).clock).toEqual(started(dueMs - NOW_MS));
  });

  it('is not moved by a backchannel or an attention call while a committed turn is answered', () => {
    for (const text of ['Okay.', 'Hello?'])
      expect(watched({ userTurn: spoken(1_500, 1_900, text) }).clock).toEqual(
        started(WORDS_END_MS + SILENCE_MS - NOW_MS),
      );
  });

  it('gives a model time that was asked late, or has begun its answer', () => {
    const atMs = 3_900;
    expect(watched({ atMs, fillers: { pendingSinceUs: 3_800_000 } }).clock).toEqual(started(3_800 + ANSWER_MS - atMs));
    const generation = { ...GENERATION, firstTokenUs: 3_850_000 };
    expect(watched({ atMs, reply: { generation } }).clock).toEqual(started(3_850 + ANSWER_MS - atMs));
  });

  it('counts on from the first request when a user speaks who has waited, and from their words otherwise', () => {
    const atMs = 4_000;
    const afterMs = (waitedMs: number, wait: Wait = {}) =>
      watched({ atMs, userTurn: spoken(ASKED_MS + waitedMs, 3_900, 'I need blue ones.'), ...wait }).clock;
    expect(afterMs(WAITED_MS)).toEqual(started(ASKED_MS + SILENCE_MS - atMs));
    expect(afterMs(WAITED_MS - 1)).toEqual(started(3_900 + SILENCE_MS - atMs));
    // The user has heard an answer in between; of a filler they have not.
    const heard = { agentSoundUs: 2_500_000 };
    expect(afterMs(WAITED_MS, { fillers: heard })).toEqual(started(3_900 + SILENCE_MS - atMs));
    const filled = { fillers: { ...heard, afterFiller: true } };
    const calling = { ...filled, userTurn: spoken(ASKED_MS + WAITED_MS, 3_900, 'Hello?') };
    expect(afterMs(WAITED_MS, calling)).toEqual(started(2_500 + REPEAT_MS - atMs));
    expect(afterMs(WAITED_MS, filled)).toEqual(started(3_900 + SILENCE_MS - atMs));
    // The model was asked again with these words.
    const generation = { ...GENERATION, requestedUs: 3_950_000 };
    expect(afterMs(WAITED_MS, { reply: { generation } })).toEqual(started(3_950 + ANSWER_MS - atMs));
  });

  it('stops while the agent speaks, and starts again at its end', () => {
    const speaking = waiting({ fillers: { isTimed: true } });
    speakSegment(speaking, addAgentItem(speaking), 'Let me see.');
    watchSilence(speaking);
    expect(clockCommands(speaking)).toContainEqual(STOPPED[0]);
    expect(speaking.context.fillers).toMatchObject({ isTimed: false, pendingSinceUs: ASKED_MS * 1000 });
    const [segment] = speaking.context.reply?.segments ?? [];
    const ended = segment === undefined ? [] : [{ ...segment, ended: true }];
    expect(watched({ reply: { segments: ended } }).clock).toHaveLength(1);
  });

  it.each<[string, Wait]>([
    ['a generation', {}],
    ['a request', { reply: { generation: null, requestPending: true } }],
    ['a tool of an earlier reply', { reply: null, context: { runningTools: [TOOL] } }],
    ['the answer to words that have ended', { reply: { turn: null, pending: PENDING } }],
    ['the answer to a person', { context: { answeringMachine: { ...DETECTION_OFF, type: 'human' } } }],
  ])('runs while %s is pending, since it began', (_what, wait) => {
    expect(watched({ ...wait, fillers: { pendingSinceUs: null } })).toMatchObject({
      clock: [{ type: 'timer.start' }],
      pendingSinceUs: NOW_MS * 1000,
      isTimed: true,
    });
    expect(watched(wait).pendingSinceUs).toBe(ASKED_MS * 1000);
  });

  it.each<[string, Wait]>([
    ['nothing is pending', { reply: { generation: null } }],
    ['a menu listens', { context: { answeringMachine: { ...DETECTION_OFF, type: 'ivr' } } }],
    ['a voicemail listens', { context: { answeringMachine: { ...DETECTION_OFF, type: 'voicemail' } } }],
    ['the end of the call is decided', { context: { decidedEnd: 'agent_hangup' } }],
    ['the call ends after the reply', { reply: { followUp: HANG_UP_AFTER_GOODBYE } }],
    ['the user may go on', { reply: { turn: null, pending: { ...PENDING, phase: 'ahead' } } }],
  ])('is stopped, and the wait is over, when %s', (_when, wait) => {
    expect(watched({ ...wait, fillers: { isTimed: true } })).toMatchObject({
      clock: STOPPED,
      pendingSinceUs: null,
      isTimed: false,
    });
    expect(watched(wait).clock).toEqual([]);
  });

  it('is stopped by a sound that withholds the answer, and the wait goes on', () => {
    const pending = { ...PENDING, phase: 'withheld' as const };
    expect(watched({ reply: { turn: null, pending }, fillers: { isTimed: true } })).toMatchObject({
      clock: STOPPED,
      pendingSinceUs: ASKED_MS * 1000,
    });
  });
});

describe('more words of the user before the answer', () => {
  function withdrawn(fillers: Partial<FillersState>, activityStartedMs: number | null, atMs = 5_000) {
    const activityStartedUs = activityStartedMs === null ? null : activityStartedMs * 1000;
    const step = waiting({ atMs, fillers, userTurn: { activityStartedUs }, context: { unheardAnswers: 1 } });
    withdrawWait(step);
    return [step.context.unheardAnswers, step.context.fillers.pendingSinceUs];
  }
  const WENT_ON = [1, null];
  const HAD_WAITED = [2, ASKED_MS * 1000];

  it('count one more unheard answer if the user had waited, and the wait goes on', () => {
    expect(withdrawn({}, ASKED_MS + WAITED_MS)).toEqual(HAD_WAITED);
    expect(withdrawn({ agentSoundUs: 2_000_000, afterFiller: true }, ASKED_MS + WAITED_MS)).toEqual(HAD_WAITED);
    // Without voice activity the words count from now.
    expect(withdrawn({}, null, ASKED_MS + WAITED_MS)).toEqual(HAD_WAITED);
  });

  it('count none if the user only went on, or had heard the agent since', () => {
    expect(withdrawn({}, ASKED_MS + WAITED_MS - 1)).toEqual(WENT_ON);
    expect(withdrawn({}, null, ASKED_MS + WAITED_MS - 1)).toEqual(WENT_ON);
    expect(withdrawn({ agentSoundUs: 2_000_000 }, ASKED_MS + WAITED_MS)).toEqual(WENT_ON);
    expect(withdrawn({ pendingSinceUs: null }, ASKED_MS + WAITED_MS)).toEqual(WENT_ON);
  });
});

describe('the filler', () => {
  const DUE_MS = 60_000;
  /** The step after the timer has fired. */
  function fired(wait: Wait = {}) {
    const step = waiting({ atMs: DUE_MS, ...wait });
    onFillerTimer(step);
    return {
      step,
      texts: spokenTexts(step),
      clock: issuedCommands(step).filter((c) => 'timer' in c && c.timer === 'filler'),
    };
  }
  const RECHECKED = { texts: [], clock: started(RECHECK_MS) };
  const TENTATIVE: Interruption = {
    status: 'tentative',
    startedUs: 0,
    stoppedUs: null,
    lastedUntilUs: null,
    pausedUntilUs: null,
    wordsBefore: 0,
    playedMs: null,
  };
  const sounding = (lengthMs: number): Partial<UserTurn> => ({
    speaking: true,
    activityStartedUs: (DUE_MS - lengthMs) * 1000,
  });
  const interim = (text: string): Partial<UserTurn> => ({ speech: speechOf({ interim: text, interimEndMs: 5_000 }) });
  const sendsInterims = (value: boolean | null): Partial<CallContext> => ({
    failover: { ...NO_FAILURES, transcriber: { ...NO_FAILURES.transcriber, sendsInterims: value } },
  });

  it.each<[string, Wait]>([
    ['is silent', {}],
    ['says an attention call', { userTurn: interim('Hello?') }],
    ['has said words that did not interrupt', { userTurn: spoken(4_000, 5_000, 'And where is it?') }],
    ['makes a sound after words that have ended', { reply: { turn: null, pending: PENDING }, userTurn: sounding(500) }],
    ['makes a long sound without words', { userTurn: sounding(NOISE_MS), context: sendsInterims(true) }],
    [
      'makes a sound that is too long for words at its end',
      { userTurn: sounding(UNREPORTED_MS), context: sendsInterims(false) },
    ],
    ['was not answered, and a tool runs', { reply: null, context: { runningTools: [TOOL], idle: true } }],
  ])('is said to a user who %s', (_user, wait) => {
    expect(fired(wait).texts).toHaveLength(1);
  });

  it.each<[string, Wait]>([
    ['the call is on hold', { context: { haltedSinceUs: 0 } }],
    ['the playback is paused by a sound', { context: { interruption: TENTATIVE }, reply: null }],
    ['the user speaks', { userTurn: sounding(500) }],
    ['a sound is short', { userTurn: sounding(NOISE_MS - 1), context: sendsInterims(true) }],
    [
      'the words of a sound may come at its end',
      { userTurn: sounding(UNREPORTED_MS - 1), context: sendsInterims(null) },
    ],
    [
      'a long sound has words',
      {
        userTurn: { ...spoken(4_000, 5_000, 'And where is it?'), ...sounding(NOISE_MS) },
        context: sendsInterims(true),
      },
    ],
    ['words of the user are not final', { userTurn: interim('And where is it') }],
    ['the user has the turn', { reply: null, context: { runningTools: [TOOL], idle: false } }],
  ])('waits while %s, and the clock is read again', (_why, wait) => {
    const tool = wait.context?.interruption === undefined ? {} : { runningTools: [TOOL], idle: true };
    expect(fired({ ...wait, context: { ...tool, ...wait.context } })).toMatchObject(RECHECKED);
  });

  it('waits for its time if the user or the agent was heard since the timer was started', () => {
    const { texts, clock } = fired({ atMs: 3_500, fillers: { agentSoundUs: 3_200_000 } });
    expect([texts, clock]).toEqual([[], started(3_200 + SILENCE_MS - 3_500)]);
  });

  it('is not said, and its clock stops, once nothing is pending or while the agent speaks', () => {
    expect(fired({ reply: { generation: null } })).toMatchObject({ texts: [], clock: [] });
    const segment = { number: 1, item: 1, text: 'Well.', interruptible: true, requestedUs: 0, voiceStartedUs: null };
    const segments = [{ ...segment, durationMs: null, words: [], playout: null, ended: false }];
    const speaking = fired({ reply: { segments }, fillers: { isTimed: true } });
    expect(speaking).toMatchObject({ texts: [], clock: [] });
    expect(speaking.step.context.fillers.isTimed).toBe(false);
  });

  it('has other words if a filler was said before', () => {
    expect(fired().texts).toEqual([THINKING_FILLER]);
    expect(fired({ reply: { turn: null, pending: PENDING } }).texts).toEqual([THINKING_FILLER]);
    expect(fired({ reply: { fillerSegments: [1] } }).texts).toEqual([REPEATED_FILLER]);
    const noTurn = { context: { runningTools: [TOOL], idle: true } };
    expect(fired({ ...noTurn, reply: null }).texts).toEqual([REPEATED_FILLER]);
    expect(fired({ ...noTurn, reply: { generation: null } }).texts).toEqual([THINKING_FILLER]);
  });

  it('is known as a filler in its reply', () => {
    const { reply } = fired({ reply: { fillerSegments: [77] } }).step.context;
    expect(reply?.fillerSegments).toEqual([77, reply?.segments.at(-1)?.number]);
  });

  it('is in the history before an answer that has no text yet, and after one that has begun', () => {
    const itemsAfter = (begun: string) => {
      const step = waiting({ atMs: DUE_MS });
      const item = addAgentItem(step);
      changeReply(step, { generation: { ...GENERATION, item } });
      if (begun !== '') speakSegment(step, item, begun);
      changeReply(step, { segments: [] });
      onFillerTimer(step);
      const answer = step.context.reply?.generation?.item ?? 0;
      const filler = step.context.reply?.segments.at(-1)?.item ?? 0;
      expect(agentItem(step.context, answer)?.text).toBe(begun);
      expect(agentItem(step.context, filler)?.text).toBe(THINKING_FILLER);
      return { answer, filler };
    };
    const silent = itemsAfter('');
    expect(silent.filler).toBeLessThan(silent.answer);
    const begun = itemsAfter('Well.');
    expect(begun.filler).toBeGreaterThan(begun.answer);
  });

  it('belongs to the tool call of its reply, and to none of an earlier reply', () => {
    const itemWith = (reply: number) => {
      const context = { runningTools: [{ ...TOOL, reply }], idle: true };
      return fired({ context, reply: { generation: null } }).step.context.reply?.segments.at(-1)?.item;
    };
    expect(itemWith(1)).toBe(TOOL.item);
    expect(itemWith(9)).not.toBe(TOOL.item);
  });
});
