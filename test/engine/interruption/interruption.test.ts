import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { ActivityInterval, Interruption } from '../../../engine/core/state/interruption-slice.ts';
import type { FollowUp, Reply, Segment } from '../../../engine/core/state/playout-slice.ts';
import type { UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import {
  evaluateInterruption,
  isInterruptible,
  makeUninterruptible,
  waitAtEnd,
} from '../../../engine/interruption/interruption.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const NOW_MS = 10_000;
/** Without words, playback stays paused for this long; before the agent is heard, its speech is delayed for longer. */
const PAUSE_MS_MAX = 600;
const DELAY_MS_MAX = 2_000;
/** After a sound, words may still follow for this long. */
const WORDS_WAIT_MS = 500;
/** Speech of this length confirms an interruption at medium sensitivity. */
const SPEECH_MS_MIN = 500;
/** A sound that began 100 ms ago. */
const SUSPECTED: Interruption = {
  status: 'suspected',
  startedUs: 9_900_000,
  stoppedUs: null,
  lastedUntilUs: null,
  wordsBefore: 0,
  pausedUntilUs: null,
  playedMs: null,
};
/** It has just paused playback. */
const TENTATIVE: Interruption = { ...SUSPECTED, status: 'tentative', pausedUntilUs: 10_600_000 };
const SPEECH_STARTED: CallEvent = { type: 'media.speech_started', audioMs: 9_900 };
const SPEECH_STOPPED: CallEvent = { type: 'media.speech_stopped', audioMs: 9_900 };
const INTERIM: CallEvent = { type: 'transcriber.interim', text: '', startMs: 9_000, endMs: 9_900 };
const FINAL: CallEvent = { type: 'transcriber.final', text: '', words: [], startMs: 9_000, endMs: 9_900 };
const TURN: CallEvent = { type: 'transcriber.turn', phase: 'updated', text: '', startMs: 9_000, endMs: 9_900 };
const SPEECH_LASTED: CallEvent = { type: 'media.speech_lasted', audioMs: 9_500, lastedMs: 500 };
const TIMER: CallEvent = { type: 'timer', timer: 'interruption' };

const interim = (text: string): Partial<UserTurn> => ({ speech: speechOf({ interim: text, interimEndMs: 9_900 }) });
const startTimer = (delayMs: number) => [{ type: 'timer.start', timer: 'interruption', delayMs }];
const STOP_TIMER = [{ type: 'timer.stop', timer: 'interruption' }];

/** A step while the agent speaks, after the interruption was evaluated. */
function evaluatedStep(
  event: CallEvent,
  userTurn: Partial<UserTurn> = {},
  interruption: Interruption | null = null,
  atMs = NOW_MS,
  reply: Partial<Reply> = {},
  activity: readonly ActivityInterval[] = [],
): RuleStep {
  const echo = { delayMs: null, learntUs: null, activity };
  const step = ruleStep({ echo, userTurn: { ...SILENT_USER, ...userTurn } }, atMs, event);
  startReply(step, null);
  changeReply(step, { segments: [AUDIBLE_SEGMENT], ...reply });
  step.change({ interruption });
  evaluateInterruption(step);
  return step;
}

const AUDIBLE_SEGMENT: Segment = {
  number: 1,
  item: 1,
  text: 'One moment, I am looking for a table.',
  interruptible: true,
  requestedUs: 8_000_000,
  voiceStartedUs: 8_100_000,
  durationMs: 4_000,
  words: [],
  playout: { startedUs: 8_200_000, startMs: 0 },
  ended: false,
};

describe('the start of an interruption by words', () => {
  const startedMs = (userTurn: Partial<UserTurn>, activity: readonly ActivityInterval[] = []) => {
    const turn = { startedUs: 5_000_000, ...userTurn, ...interim('wait a moment') };
    const { interruption } = evaluatedStep(INTERIM, turn, null, NOW_MS, {}, activity).context;
    return (interruption?.startedUs ?? 0) / 1000;
  };
  const sound = (fromMs: number, untilMs: number | null): ActivityInterval => ({
    fromUs: fromMs * 1000,
    untilUs: untilMs === null ? null : untilMs * 1000,
  });

  it('is that of the sound that goes on, not of an earlier one', () => {
    const activity = [sound(5_000, 5_200), sound(6_000, 6_200), sound(9_600, null)];
    expect(startedMs({ speaking: true }, activity)).toBe(9_600);
  });

  it('is that of the words if no sound goes on, but not before the turn', () => {
    const activity = [sound(5_000, 5_200)];
    expect(startedMs({ endedUs: 5_200_000 }, activity)).toBe(9_000);
    expect(startedMs({ startedUs: 9_400_000 }, activity)).toBe(9_400);
  });
});

describe('a second sound of the user', () => {
  const AFTER_MS = WORDS_WAIT_MS + 1_000;
  const ended = { stoppedUs: (NOW_MS - AFTER_MS) * 1000, startedUs: (NOW_MS - AFTER_MS - 200) * 1000 };
  const stateAfter = (interruption: Interruption) =>
    evaluatedStep(SPEECH_STARTED, { speaking: true, startedUs: 9_900_000 }, interruption).context.interruption;

  it('is suspected again once no words of the first one can follow', () => {
    expect(stateAfter({ ...SUSPECTED, ...ended })).toMatchObject({ status: 'suspected', startedUs: 9_900_000 });
    expect(stateAfter({ ...SUSPECTED, startedUs: 9_700_000, stoppedUs: 9_800_000 })).toMatchObject({
      status: 'suspected',
      startedUs: 9_700_000,
      stoppedUs: null,
    });
  });

  it('goes on with the interruption that has paused the agent', () => {
    expect(stateAfter({ ...TENTATIVE, startedUs: 9_700_000, stoppedUs: 9_800_000 })).toMatchObject({
      status: 'tentative',
      startedUs: 9_700_000,
      stoppedUs: null,
    });
  });
});

describe('the end of a reply during a sound of the user', () => {
  const played: Segment = { ...AUDIBLE_SEGMENT, ended: true };
  const waits = (followUp: FollowUp, segment = played) => {
    const step = ruleStep({ userTurn: { ...SILENT_USER, speaking: true, startedUs: 9_900_000 } }, NOW_MS, TIMER);
    startReply(step, null);
    changeReply(step, { segments: [segment], followUp });
    step.change({ interruption: SUSPECTED });
    waitAtEnd(step);
    return step.context.interruption?.status === 'tentative';
  };

  it('waits for words before a hang-up, and not if the agent listens then or still speaks', () => {
    expect(waits(HANG_UP_AFTER_GOODBYE)).toBe(true);
    expect(waits({ type: 'listen' })).toBe(false);
    expect(waits(HANG_UP_AFTER_GOODBYE, AUDIBLE_SEGMENT)).toBe(false);
  });
});

describe('evaluation of an interruption', () => {
  it('suspects one when the user’s speech starts, and pauses nothing; earlier words do not count', () => {
    const step = evaluatedStep(SPEECH_STARTED, {
      speaking: true,
      startedUs: 8_000_000,
      speech: speechOf({ finals: ['Okay then'] }),
    });
    expect(step.context.interruption).toEqual({ ...SUSPECTED, wordsBefore: 2 });
    expect(issuedCommands(step)).toEqual([]);
  });

  it('delays a reply that is not heard yet as soon as speech starts', () => {
    const step = evaluatedStep(SPEECH_STARTED, { speaking: true }, null, NOW_MS, { segments: [] });
    expect(step.context.interruption).toEqual({ ...TENTATIVE, pausedUntilUs: 12_000_000 });
    expect(issuedCommands(step)).toEqual(startTimer(DELAY_MS_MAX));
  });

  it('becomes tentative once the speech has lasted for as long as the sensitivity says', () => {
    const started = { ...SUSPECTED, startedUs: 9_500_000 };
    for (const interruption of [started, null]) {
      const step = evaluatedStep(SPEECH_LASTED, { speaking: true }, interruption);
      expect(step.context.interruption).toEqual({ ...TENTATIVE, startedUs: 9_500_000, lastedUntilUs: 10_000_000 });
      expect(issuedCommands(step)).toEqual(startTimer(PAUSE_MS_MAX));
    }
    for (const lastedMs of [200, 800] as const) {
      const step = evaluatedStep({ ...SPEECH_LASTED, lastedMs }, {}, started);
      expect(step.context.interruption?.status).toBe('suspected');
    }
  });

  it.each([
    ['the reply was paused for two sounds that were none', SUSPECTED, { falsePauses: 2 }],
    ['it was rejected for the same sound', { ...SUSPECTED, status: 'resumed' } as const, {}],
  ])('does not become tentative by a sound when %s', (_case, interruption, reply) => {
    const step = evaluatedStep(SPEECH_LASTED, {}, interruption, NOW_MS, reply);
    expect(step.context.interruption?.status).toBe(interruption.status);
  });

  it.each([INTERIM, FINAL, TURN])('becomes tentative with a word while the user speaks: $type', (event) => {
    const words = { speech: speechOf({ finals: ['Blue'] }), startedUs: 9_600_000 };
    expect(evaluatedStep(event, { ...words, speaking: true }).context.interruption).toEqual({
      ...TENTATIVE,
      startedUs: 9_600_000,
    });
    const { interruption } = evaluatedStep(event, { ...words, ...interim('house'), startedUs: null }).context;
    expect(interruption).toEqual({ ...SUSPECTED, startedUs: 10_000_000, stoppedUs: 10_000_000 });
  });

  it.each(['Okay', 'mhm'])('pauses nothing for the backchannel «%s»', (text) => {
    const step = evaluatedStep(INTERIM, { ...interim(text), speaking: true }, SUSPECTED);
    expect(step.context.interruption).toEqual(SUSPECTED);
    expect(issuedCommands(step)).toEqual([]);
  });

  it.each([
    ['the transcriber reports no word', INTERIM, {}, null],
    [
      'the words belong to an earlier sound',
      INTERIM,
      interim('Okay'),
      { ...TENTATIVE, status: 'resumed', wordsBefore: 1 },
    ],
    ['speech only stops', SPEECH_STOPPED, { speech: speechOf({ finals: ['Blue'] }) }, null],
  ] as const)('changes nothing when %s', (_case, event, userTurn, interruption) => {
    const step = evaluatedStep(event, userTurn, interruption);
    expect(step.context.interruption).toEqual(interruption);
    expect(issuedCommands(step)).toEqual([]);
  });

  it('counts only new words after a false interruption, although earlier words have changed', () => {
    const resumed: Interruption = { ...TENTATIVE, status: 'resumed', wordsBefore: 3 };
    const moreWords = evaluatedStep(INTERIM, { ...interim('all right then what'), speaking: true }, resumed);
    expect(moreWords.context.interruption).toMatchObject({ status: 'tentative', wordsBefore: 3 });
    const fewerWords = evaluatedStep(INTERIM, interim('Okay'), resumed).context;
    expect(fewerWords.interruption).toEqual({ ...resumed, wordsBefore: 1 });
    const speaking = { ...interim('Okay but'), speaking: true };
    expect(evaluatedStep(INTERIM, speaking, fewerWords.interruption).context.interruption?.status).toBe('tentative');
  });

  it('waits a bounded time for words after the speech has stopped', () => {
    const stopped = evaluatedStep(SPEECH_STOPPED, {}, TENTATIVE);
    expect(stopped.context.interruption).toEqual({ ...TENTATIVE, stoppedUs: 9_900_000 });
    expect(issuedCommands(stopped)).toEqual(startTimer(WORDS_WAIT_MS - 100));
    // An interim does not extend the wait.
    const afterInterim = evaluatedStep(INTERIM, interim('Blue'), stopped.context.interruption, 10_200);
    expect(issuedCommands(afterInterim)).toEqual(startTimer(WORDS_WAIT_MS - 300));
    expect(afterInterim.context.interruption?.status).toBe('tentative');
  });

  it('ends the pause at a backchannel, whose interim may still become another word', () => {
    const step = evaluatedStep(INTERIM, { ...interim('Okay'), speaking: true }, TENTATIVE);
    expect(step.context.interruption).toMatchObject({ status: 'rejected', wordsBefore: 0 });
    expect(issuedCommands(step)).toEqual(STOP_TIMER);
  });

  it('treats speech that continues after a pause as one interruption', () => {
    const step = evaluatedStep(SPEECH_STARTED, { speaking: true }, { ...TENTATIVE, stoppedUs: 9_950_000 });
    expect(step.context.interruption).toEqual(TENTATIVE);
    expect(issuedCommands(step)).toEqual(startTimer(PAUSE_MS_MAX));
    const suspected = evaluatedStep(SPEECH_STARTED, { speaking: true }, { ...SUSPECTED, stoppedUs: 9_950_000 });
    expect(suspected.context.interruption).toEqual(SUSPECTED);
    const isOver = { ...SUSPECTED, startedUs: 8_000_000, stoppedUs: 9_000_000 };
    expect(evaluatedStep(SPEECH_STARTED, { speaking: true }, isOver).context.interruption).toEqual(SUSPECTED);
  });

  it('confirms an interruption with a stop phrase at once', () => {
    const step = evaluatedStep(INTERIM, interim('Okay stop'), { ...TENTATIVE, wordsBefore: 1 });
    expect(step.context.interruption?.status).toBe('confirmed');
    expect(issuedCommands(step)).toEqual(STOP_TIMER);
  });

  it('confirms an interruption when the speech is long enough', () => {
    expect(issuedCommands(evaluatedStep(INTERIM, { ...interim('Blue'), speaking: true }, TENTATIVE))).toEqual(
      startTimer(SPEECH_MS_MIN),
    );
    const certain = { ...TENTATIVE, startedUs: 9_500_000, lastedUntilUs: 10_000_000 };
    const step = evaluatedStep(INTERIM, { ...interim('Blue'), speaking: true }, certain);
    expect(step.context.interruption?.status).toBe('confirmed');
  });

  it('rejects an interruption without words in time, or with a backchannel', () => {
    const withoutWords = evaluatedStep(TIMER, {}, { ...TENTATIVE, stoppedUs: 9_500_000 });
    expect(withoutWords.context.interruption).toMatchObject({ status: 'rejected', wordsBefore: 0 });
    expect(issuedCommands(withoutWords)).toEqual(STOP_TIMER);
    const backchannel = evaluatedStep(
      FINAL,
      { speech: speechOf({ finals: ['Okay I see'] }) },
      { ...TENTATIVE, stoppedUs: 10_000_000 },
    );
    expect(backchannel.context.interruption).toMatchObject({ status: 'rejected', wordsBefore: 3 });
  });

  it.each(['confirmed', 'rejected'] as const)('keeps an interruption that is %s', (status) => {
    const interruption = { ...TENTATIVE, status };
    const step = evaluatedStep(INTERIM, interim('Stop'), interruption);
    expect(step.context.interruption).toEqual(interruption);
    expect(issuedCommands(step)).toEqual([]);
  });
});

describe('interruptible reply', () => {
  it('needs a reply, its own permission, and the agent’s', () => {
    const isReplyInterruptible = (agent: { readonly interruptions?: boolean }, interruptible: boolean) => {
      const step = ruleStep(initialContext(agentWith(agent), CALL_PARAMETERS));
      startReply(step, null, interruptible);
      return isInterruptible(step.context);
    };
    expect(isReplyInterruptible({}, true)).toBe(true);
    expect(isReplyInterruptible({}, false)).toBe(false);
    expect(isReplyInterruptible({ interruptions: false }, true)).toBe(false);
    expect(isInterruptible(ruleStep().context)).toBe(false);
  });

  it('rejects a tentative interruption when it becomes uninterruptible', () => {
    const uninterruptibleStep = (interruption: Interruption | null) => {
      const step = evaluatedStep(TIMER, {}, null);
      step.change({ interruption });
      makeUninterruptible(step);
      return step;
    };
    const duringInterruption = uninterruptibleStep(TENTATIVE);
    expect(duringInterruption.context).toMatchObject({
      reply: { interruptible: false },
      interruption: { status: 'rejected' },
    });
    expect(issuedCommands(duringInterruption)).toEqual(STOP_TIMER);
    const resumed: Interruption = { ...TENTATIVE, status: 'resumed' };
    for (const interruption of [null, resumed]) {
      expect(uninterruptibleStep(interruption).context.interruption).toEqual(interruption);
      expect(issuedCommands(uninterruptibleStep(interruption))).toEqual([]);
    }
    const withoutReply = ruleStep();
    evaluateInterruption(withoutReply);
    makeUninterruptible(withoutReply);
    expect(withoutReply.context.reply).toBeNull();
  });
});
