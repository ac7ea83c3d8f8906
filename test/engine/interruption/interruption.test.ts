import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { Interruption } from '../../../engine/core/state/interruption-slice.ts';
import type { UserTurn } from '../../../engine/core/state/user-turn-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/user-turn-slice.ts';
import {
  evaluateInterruption,
  isAnsweredAfterReply,
  isInterruptible,
  makeUninterruptible,
} from '../../../engine/interruption/interruption.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const NOW_MS = 10_000;
/** A sound that began at 9.9 s, one tenth of a second ago. */
const OPEN: Interruption = {
  status: 'tentative',
  startedUs: 9_900_000,
  stoppedUs: null,
  wordsBefore: 0,
  playedMs: null,
};
const STARTED: CallEvent = { type: 'media.speech_started', audioMs: 9_900 };
const STOPPED: CallEvent = { type: 'media.speech_stopped', audioMs: 9_900 };
const INTERIM: CallEvent = { type: 'transcriber.interim', text: '', startMs: 9_000, endMs: 9_900 };
const FINAL: CallEvent = { type: 'transcriber.final', text: '', words: [], startMs: 0, endMs: 0, endOfTurn: false };
const TURN: CallEvent = { type: 'transcriber.turn', phase: 'updated', text: '', startMs: 9_000, endMs: 9_900 };
const TIMER: CallEvent = { type: 'timer', timer: 'interruption' };

const interim = (text: string): Partial<UserTurn> => ({ interim: { text, endMs: 9_900 } });
const watched = (delayMs: number) => [{ type: 'timer.start', timer: 'interruption', delayMs }];
const SETTLED = [{ type: 'timer.stop', timer: 'interruption' }];

/** The agent speaks; the user has said what `user` tells, the event last. */
function judged(
  event: CallEvent,
  caller: Partial<UserTurn> = {},
  interruption: Interruption | null = null,
  atMs = NOW_MS,
): RuleStep {
  const step = ruleStep({ userTurn: { ...SILENT_USER, ...caller } }, atMs, event);
  startReply(step, null);
  step.change({ interruption });
  evaluateInterruption(step);
  return step;
}

describe('a sound of the user while the agent speaks', () => {
  it('holds the agent from when it began; what they said before does not count', () => {
    const step = judged(STARTED, { speaking: true, startedUs: 8_000_000, finals: ['Okay then'] });
    expect(step.context.interruption).toEqual({ ...OPEN, wordsBefore: 2 });
    expect(issuedCommands(step)).toEqual(watched(1_900));
  });

  it.each([INTERIM, FINAL, TURN])('that only the transcriber has heard does so from its words on: $type', (event) => {
    const words = { finals: ['Blue'], startedUs: 9_600_000 };
    expect(judged(event, { ...words, speaking: true }).context.interruption).toEqual({ ...OPEN, startedUs: 9_600_000 });
    const { interruption } = judged(event, { ...words, ...interim('house'), startedUs: null }).context;
    expect(interruption).toEqual({ ...OPEN, startedUs: 10_000_000, stoppedUs: 10_000_000 });
  });

  it.each([
    ['the transcriber tells no word', INTERIM, {}, null],
    ['the words are those of a sound before', INTERIM, interim('Okay'), { ...OPEN, status: 'resumed', wordsBefore: 1 }],
    ['it only ends', STOPPED, { finals: ['Blue'] }, null],
  ] as const)('is none where %s', (_what, event, caller, before) => {
    const step = judged(event, caller, before);
    expect(step.context.interruption).toEqual(before);
    expect(issuedCommands(step)).toEqual([]);
  });

  it('after one that was undone counts by its own words, whichever those before it have become', () => {
    const over: Interruption = { ...OPEN, status: 'resumed', wordsBefore: 3 };
    const again = judged(INTERIM, { ...interim('all right then what'), speaking: true }, over);
    expect(again.context.interruption).toMatchObject({ status: 'tentative', wordsBefore: 3 });
    const fewer = judged(INTERIM, interim('Okay'), over).context;
    expect(fewer.interruption).toEqual({ ...over, wordsBefore: 1 });
    expect(judged(INTERIM, interim('Okay but'), fewer.interruption).context.interruption?.status).toBe('tentative');
  });

  it('is waited for until its words must be there, once it has stopped', () => {
    const stopped = judged(STOPPED, {}, OPEN);
    expect(stopped.context.interruption).toEqual({ ...OPEN, stoppedUs: 10_000_000 });
    expect(issuedCommands(stopped)).toEqual(watched(500));
    // A word that may become another one moves nothing.
    const later = judged(INTERIM, interim('Okay'), stopped.context.interruption, 10_200);
    expect(issuedCommands(later)).toEqual(watched(300));
    expect(later.context.interruption?.status).toBe('tentative');
  });

  it('that goes on after a pause is one sound', () => {
    const step = judged(STARTED, { speaking: true }, { ...OPEN, stoppedUs: 9_950_000 });
    expect(step.context.interruption).toEqual(OPEN);
    expect(issuedCommands(step)).toEqual(watched(1_900));
  });

  it('interrupts with words that stop anybody', () => {
    const step = judged(INTERIM, interim('Okay stop'), { ...OPEN, wordsBefore: 1 });
    expect(step.context.interruption?.status).toBe('confirmed');
    expect(issuedCommands(step)).toEqual(SETTLED);
  });

  it('is waited for as long as it takes to be long enough', () => {
    // Half a second is; a tenth is there.
    expect(issuedCommands(judged(INTERIM, { ...interim('Blue'), speaking: true }, OPEN))).toEqual(watched(400));
  });

  it('gives it back where no words came in time, or too little; what was said does not count again', () => {
    const silent = judged(TIMER, {}, { ...OPEN, stoppedUs: 9_500_000 });
    expect(silent.context.interruption).toMatchObject({ status: 'rejected', wordsBefore: 0 });
    expect(issuedCommands(silent)).toEqual(SETTLED);
    const little = judged(FINAL, { finals: ['Okay I see'] }, { ...OPEN, stoppedUs: 10_000_000 });
    expect(little.context.interruption).toMatchObject({ status: 'rejected', wordsBefore: 3 });
  });

  it.each(['confirmed', 'rejected'] as const)('that was judged as %s is not judged again', (status) => {
    const before = { ...OPEN, status };
    const step = judged(INTERIM, interim('Stop'), before);
    expect(step.context.interruption).toEqual(before);
    expect(issuedCommands(step)).toEqual([]);
  });
});

describe('a reply that nobody may interrupt', () => {
  it('is one that says so, any of an agent that is not to be interrupted, and none at all', () => {
    const may = (agent: { readonly interruptions?: boolean }, interruptible: boolean) => {
      const step = ruleStep(initialContext(agentWith(agent), CALL_PARAMETERS));
      startReply(step, null, interruptible);
      return isInterruptible(step.context);
    };
    expect([may({}, true), may({}, false), may({ interruptions: false }, true)]).toEqual([true, false, false]);
    expect(isInterruptible(ruleStep().context)).toBe(false);
  });

  it('goes on where it was held', () => {
    const kept = (interruption: Interruption | null) => {
      const step = judged(TIMER, {}, null);
      step.change({ interruption });
      makeUninterruptible(step);
      return step;
    };
    const held = kept(OPEN);
    expect(held.context).toMatchObject({ reply: { interruptible: false }, interruption: { status: 'rejected' } });
    expect(issuedCommands(held)).toEqual(SETTLED);
    const over: Interruption = { ...OPEN, status: 'resumed' };
    for (const interruption of [null, over]) {
      expect(kept(interruption).context.interruption).toEqual(interruption);
      expect(issuedCommands(kept(interruption))).toEqual([]);
    }
    const nothing = ruleStep();
    evaluateInterruption(nothing);
    makeUninterruptible(nothing);
    expect(nothing.context.reply).toBeNull();
  });
});

describe('what a user said over the agent', () => {
  const answered = (caller: Partial<UserTurn>, context: Partial<CallContext> = {}) =>
    isAnsweredAfterReply({ ...ruleStep(context).context, userTurn: { ...SILENT_USER, ...caller } }, NOW_MS * 1000);

  it('is answered afterwards, unless it only showed attention', () => {
    expect(answered({ finals: ['At seven'], endedUs: 2_000_000 })).toBe(true);
    expect(answered({ finals: ['Okay'], endedUs: 2_000_000 })).toBe(false);
    expect(answered({ endedUs: 10_000_000 })).toBe(false);
  });

  it('is an answer, however small, within 1.5 s of the agent’s end', () => {
    expect(answered({ finals: ['Okay'], endedUs: 8_500_000 })).toBe(true);
    expect(answered({ finals: ['Okay'], endedUs: 8_499_999 })).toBe(false);
  });
});
