import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { Interruption } from '../../../engine/core/state/interruption-slice.ts';
import type { FollowUp, Segment, SegmentPlayout } from '../../../engine/core/state/playout-slice.ts';
import { queueDtmf } from '../../../engine/dtmf/send-dtmf.ts';
import { dropReply, interruptReply, playbackPositionMs, refineTruncation } from '../../../engine/playout/drop-reply.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import { addAgentItem, changeAgentItem } from '../../../engine/transcript/history.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

/** 40 characters and four seconds: 100 ms a character. */
const TEXT = 'Monday, or perhaps Tuesday morning, then';
const WIRE: SegmentPlayout = { startedUs: 10_000_000, playedMs: 0 };
const HELD: Interruption = { status: 'tentative', startedUs: 0, stoppedUs: null, wordsBefore: 0, playedMs: null };

/** The agent says `TEXT`, whose first sample left at 10 s; `atMs` is now. */
function saying(atMs: number, changed: Partial<Segment> = {}, context: Partial<CallContext> = {}): RuleStep {
  const step = ruleStep({}, atMs);
  startReply(step, null);
  const item = addAgentItem(step);
  changeAgentItem(step, item, { text: TEXT, entry: { sequence: 7, startUs: 10_000_000 } });
  const segment: Segment = {
    number: 3,
    item,
    text: TEXT,
    requestedUs: 9_000_000,
    voiceStartedUs: 9_500_000,
    durationMs: 4_000,
    words: [],
    playout: WIRE,
    ended: false,
    ...changed,
  };
  changeReply(step, { segments: [segment] });
  step.change(context);
  return step;
}

function thenDone(step: RuleStep, after: FollowUp): RuleStep {
  changeReply(step, { followUp: after });
  return step;
}

/** What was ordered, but for what is written and the timers that stop. */
function orders(step: RuleStep): readonly unknown[] {
  return issuedCommands(step).filter(({ type }) => type !== 'journal.write' && type !== 'timer.stop');
}

function entries(step: RuleStep): readonly JournalEntry[] {
  return issuedCommands(step).flatMap((command) => (command.type === 'journal.write' ? [command.entry] : []));
}

function lineOf(step: RuleStep): string | undefined {
  const lines = issuedCommands(step).flatMap((command) =>
    command.type === 'journal.write' && command.entry.type === 'transcript' ? [command.entry.entry.content] : [],
  );
  return lines.at(-1);
}

const CANCEL = { type: 'voice.cancel', from: 3 };
const CLEAR = { type: 'playout.clear', utterance: 1 };
const RESUME = { type: 'playout.resume' };

describe('what is dropped of a reply', () => {
  it('is what has not been heard: the voice stops, the playout is cleared, and the line says what was heard', () => {
    const step = saying(11_800);
    dropReply(step, 'user');
    expect(orders(step)).toEqual([CANCEL, CLEAR]);
    expect(issuedCommands(step)).toContainEqual({ type: 'timer.stop', timer: 'playout' });
    expect(lineOf(step)).toBe('Monday, or perhaps');
    expect(step.context).toMatchObject({
      reply: null,
      interruption: null,
      pendingResponse: true,
      lastDroppedReply: { utterance: 1 },
    });
    expect(step.context.history).toMatchObject([{ playedText: 'Monday, or perhaps' }]);
    expect(step.context.lastPlayedSegments).toMatchObject([{ number: 3 }]);
  });

  it('is nothing of what was heard to its end, nor where nothing was said yet', () => {
    const heard = saying(15_000, { ended: true });
    dropReply(heard, 'user');
    expect(orders(heard)).toEqual([]);
    expect(entries(heard)).toEqual([]);
    const empty = ruleStep();
    startReply(empty, null);
    dropReply(empty, 'user');
    expect(orders(empty)).toEqual([]);
    expect(empty.context.lastPlayedSegments).toEqual([]);
  });

  it('leaves the playout going on where it was held, and only there', () => {
    const ordersOf = (interruption: Interruption | null) => {
      const step = saying(11_800, {}, { interruption });
      dropReply(step, 'failure');
      return orders(step);
    };
    expect(ordersOf(HELD)).toEqual([CANCEL, CLEAR, RESUME]);
    expect(ordersOf({ ...HELD, status: 'confirmed' })).toEqual([CANCEL, CLEAR, RESUME]);
    expect(ordersOf({ ...HELD, status: 'rejected' })).toEqual([CANCEL, CLEAR, RESUME]);
    expect(ordersOf({ ...HELD, status: 'resumed' })).toEqual([CANCEL, CLEAR]);
  });

  it('accepts the keys with it that were to be pressed behind it, and says so to the model', () => {
    const step = saying(11_800);
    queueDtmf(step, 0, { id: 'call_1', name: 'send_dtmf' }, '12');
    dropReply(step, 'user');
    const content = 'Not done: the caller spoke before the keys were pressed.';
    expect(step.context).toMatchObject({ outgoingDtmf: [], runningTools: [] });
    expect(step.context.history.at(-1)).toMatchObject({ type: 'result', toolCallId: 'call_1', content });
  });

  it('is counted where the user did it', () => {
    const step = saying(11_800);
    interruptReply(step);
    expect(step.context.metrics.interruptions).toBe(1);
    expect(step.context.reply).toBeNull();
  });
});

describe('what was to be done after a reply that is cut', () => {
  const END: FollowUp = {
    type: 'end',
    reason: 'agent_hangup',
    result: { call: { id: 'call_1', name: 'bye' }, sequence: 4, startUs: 11_000_000 },
  };
  const request = { destination: '+33123456789', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;

  function withResult(step: RuleStep): RuleStep {
    step.change({
      history: [...step.context.history, { type: 'result', id: 9, toolCallId: 'call_1', content: 'Done.' }],
    });
    return step;
  }
  const result = (step: RuleStep) =>
    step.context.history.flatMap((item) => (item.type === 'result' ? [item.content] : []));

  it('is not done where that was the end of the call, and the call that asked for it says so', () => {
    const step = withResult(thenDone(saying(11_800), END));
    dropReply(step, 'dtmf');
    expect(result(step)).toEqual(['Not done: the caller pressed keys before the goodbye was over: the call goes on.']);
  });

  it('stands where the call has ended all the same, and where nothing was to be done', () => {
    const ended = withResult(thenDone(saying(11_800), END));
    dropReply(ended, 'end');
    expect(result(ended)).toEqual(['Done.']);
    const listening = withResult(saying(11_800));
    dropReply(listening, 'dtmf');
    expect(result(listening)).toEqual(['Done.']);
  });

  it.each([
    [false, []],
    [true, ['failed']],
  ])('is no transfer any more, one that was ordered of the leg (%s) has failed', (begun, phases) => {
    const step = thenDone(saying(11_800), {
      type: 'transfer',
      toolCallId: 'call_1',
      name: 'transfer',
      request,
      started: begun,
    });
    dropReply(step, 'user');
    const content = 'Not done: the caller spoke before it was.';
    expect(result(step)).toEqual([content]);
    expect(entries(step)).toContainEqual(
      expect.objectContaining({
        entry: expect.objectContaining({ role: 'tool_response', successful: false, content }),
      }),
    );
    const told = entries(step).filter(({ type }) => type === 'transfer');
    expect(told).toEqual(phases.map((phase) => expect.objectContaining({ phase, reason: 'the caller spoke' })));
  });
});

describe('what of a reply has left on the wire', () => {
  const played = (atMs: number, segment: Partial<Segment>, context: Partial<CallContext> = {}) =>
    playbackPositionMs(saying(atMs, segment, context).context, atMs * 1000);

  it('is what was played before the segment, and the time since that began, no longer than it is', () => {
    expect(played(11_800, { playout: { startedUs: 10_000_000, playedMs: 500 } })).toBe(2_300);
    expect(played(14_000, {})).toBe(4_000);
    expect(played(19_000, {})).toBe(4_000);
    expect(played(19_000, { durationMs: null })).toBe(9_000);
    expect(played(9_000, {})).toBe(0);
  });

  it('is nothing before the first sample, and without a reply', () => {
    expect(played(11_800, { playout: null })).toBe(0);
    expect(playbackPositionMs(ruleStep().context, 5_000_000)).toBe(0);
  });

  it('stands still on hold, and is told by the playout where that was held', () => {
    expect(played(19_000, {}, { haltedSinceUs: 11_000_000 })).toBe(1_000);
    expect(played(19_000, {}, { interruption: { ...HELD, playedMs: 1_234 } })).toBe(1_234);
    expect(played(11_800, {}, { interruption: HELD })).toBe(1_800);
    expect(played(11_800, {}, { interruption: { ...HELD, status: 'resumed', playedMs: 1_234 } })).toBe(1_800);
  });
});

describe('a cut that the playout tells to the sample', () => {
  function refined(event: CallEvent): RuleStep {
    const cut = saying(11_800);
    dropReply(cut, 'user');
    const step = ruleStep(cut.context, 12_000, event);
    refineTruncation(step);
    return step;
  }
  const cleared = (utterance: number, playedMs: number): CallEvent => ({ type: 'media.cleared', utterance, playedMs });

  it('is made again, once', () => {
    const step = refined(cleared(1, 900));
    expect(lineOf(step)).toBe('Monday,');
    expect(entries(step)).toMatchObject([{ entry: { interrupted: true, generatedContent: TEXT } }]);
    expect(step.context.history).toMatchObject([{ playedText: 'Monday,' }]);
    expect(step.context.lastDroppedReply).toBeNull();
  });

  it('is left where it says the same, where it is another utterance’s, and where something else is told', () => {
    expect(issuedCommands(refined(cleared(1, 1_850)))).toEqual([]);
    const other = refined(cleared(2, 900));
    expect(issuedCommands(other)).toEqual([]);
    expect(other.context.lastDroppedReply).not.toBeNull();
    expect(issuedCommands(refined({ type: 'call.offered' }))).toEqual([]);
  });
});
