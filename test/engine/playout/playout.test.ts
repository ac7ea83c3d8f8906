import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { Interruption } from '../../../engine/core/state/interruption-slice.ts';
import type { FollowUp, Segment } from '../../../engine/core/state/playout-slice.ts';
import {
  onPlayoutEvent,
  onPlayoutTimeout,
  pausePlayback,
  resumePlayback,
  updateHalt,
} from '../../../engine/playout/playout.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem, changeAgentItem } from '../../../engine/transcript/history.ts';
import { issuedCommands, notices, ruleStep } from '../simulation/rule-step.ts';

const NOW_MS = 12_000;
const TENTATIVE: Interruption = {
  status: 'tentative',
  startedUs: 0,
  stoppedUs: null,
  lastedUntilUs: null,
  wordsBefore: 0,
  pausedUntilUs: null,
  playedMs: null,
};

const SEGMENT: Segment = {
  number: 1,
  item: 1,
  text: 'One two three.',
  interruptible: true,
  requestedUs: 9_000_000,
  voiceStartedUs: null,
  durationMs: null,
  words: [],
  playout: null,
  ended: false,
};
const PLAYING: Segment = {
  ...SEGMENT,
  voiceStartedUs: 9_900_000,
  durationMs: 4_000,
  playout: { startedUs: 10_000_000, startMs: 0 },
};
const WAITING: Segment = { ...SEGMENT, number: 2, text: 'Four five.' };
const ENDED: Segment = {
  ...SEGMENT,
  number: 0,
  durationMs: 500,
  playout: { startedUs: 9_000_000, startMs: 0 },
  ended: true,
};

/** The agent speaks these segments in utterance 1, and `event` arrives at `NOW_MS`. */
function stepWithReply(
  segments: readonly Segment[],
  event?: CallEvent,
  contextChanges: Partial<CallContext> = {},
): RuleStep {
  const step = ruleStep({}, NOW_MS, event);
  startReply(step, null);
  changeAgentItem(step, addAgentItem(step), { text: 'One two three. Four five.' });
  changeReply(step, { segments });
  step.change(contextChanges);
  return step;
}

function afterPlayoutEvent(
  segments: readonly Segment[],
  event: CallEvent,
  contextChanges: Partial<CallContext> = {},
): RuleStep {
  const step = stepWithReply(segments, event, contextChanges);
  onPlayoutEvent(step);
  return step;
}

const segmentsOf = (step: RuleStep) => step.context.reply?.segments ?? [];
const timerCommands = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => {
    if (command.type === 'timer.start') return [command.timer];
    return command.type === 'timer.stop' ? [`${command.timer} stops`] : [];
  });
const transcriptTexts = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) =>
    command.type === 'journal.write' && command.entry.type === 'transcript' ? [command.entry.entry.content] : [],
  );
const outputCommands = (step: RuleStep) =>
  issuedCommands(step).filter(({ type }) => type.startsWith('playout.') || type.startsWith('voice.'));
const withFollowUp = (step: RuleStep, followUp: FollowUp): RuleStep => {
  changeReply(step, { followUp });
  return step;
};

describe('audio that is played again after a pause', () => {
  it('delays the playback position by its length, in its own reply', () => {
    const event = { type: 'media.resumed', utterance: 1, replayedMs: 240 } as const;
    expect(segmentsOf(afterPlayoutEvent([ENDED, PLAYING, WAITING], event))).toEqual([
      ENDED,
      { ...PLAYING, playout: { startedUs: 10_240_000, startMs: 0 } },
      WAITING,
    ]);
    expect(segmentsOf(afterPlayoutEvent([PLAYING], { ...event, utterance: 7 }))).toEqual([PLAYING]);
    expect(segmentsOf(afterPlayoutEvent([ENDED, WAITING], event))).toEqual([ENDED, WAITING]);
  });

  it('leaves the time of what was played before the pause', () => {
    const event = { type: 'media.resumed', utterance: 1, replayedMs: 240 } as const;
    const pauses = [
      { untilUs: 10_500_000, durationUs: 100_000 },
      { untilUs: 12_000_000, durationUs: 1_200_000 },
    ];
    const paused = { ...PLAYING, playout: { startedUs: 11_300_000, startMs: 0, pauses } };
    expect(segmentsOf(afterPlayoutEvent([paused], event))[0]?.playout).toEqual({
      startedUs: 11_540_000,
      startMs: 0,
      pauses: [pauses[0], { untilUs: 12_000_000, durationUs: 1_440_000 }],
    });
  });
});

describe('an event of the voice', () => {
  it('updates its segment, and the voice watchdog continues', () => {
    const started = afterPlayoutEvent([SEGMENT, WAITING], { type: 'voice.started', segment: 1 });
    expect(segmentsOf(started)).toEqual([{ ...SEGMENT, voiceStartedUs: 12_000_000 }, WAITING]);
    const done = afterPlayoutEvent([SEGMENT, WAITING], { type: 'voice.done', segment: 1, durationMs: 1_400 });
    expect(segmentsOf(done)).toEqual([{ ...SEGMENT, durationMs: 1_400 }, WAITING]);
    expect(timerCommands(done)).toContain('voice');
    // 1,400 ms for 14 characters.
    expect(done.context.failover.voice.characterMs).toBe(100);
    expect(stepWithReply([SEGMENT]).context.failover.voice.characterMs).toBeNull();
    const words = [{ text: 'One', startMs: 0, endMs: 300 }];
    const more = [{ text: 'two', startMs: 300, endMs: 600 }];
    const first = afterPlayoutEvent([SEGMENT], { type: 'voice.words', segment: 1, words });
    const second = ruleStep(first.context, NOW_MS, { type: 'voice.words', segment: 1, words: more });
    onPlayoutEvent(second);
    expect(segmentsOf(second)[0]?.words).toEqual([...words, ...more]);
    expect(issuedCommands(second)).toEqual([]);
  });

  it('is ignored after the end of the reply, and for a dropped segment', () => {
    const withoutReply = ruleStep({}, NOW_MS, { type: 'voice.done', segment: 1, durationMs: 1_400 });
    onPlayoutEvent(withoutReply);
    expect(withoutReply.context.failover.voice.characterMs).toBeNull();
    const dropped = afterPlayoutEvent([WAITING], { type: 'voice.done', segment: 1, durationMs: 1_400 });
    expect(segmentsOf(dropped)).toEqual([WAITING]);
    expect(dropped.context.failover.voice.characterMs).toBeNull();
  });
});

describe('an event of the playout', () => {
  const segmentStarted = (utterance = 1, segment = 1): CallEvent => ({
    type: 'media.segment_started',
    utterance,
    segment,
    playedMs: 700,
  });
  const segmentEnded = (utterance = 1, segment = 1): CallEvent => ({
    type: 'media.segment_ended',
    utterance,
    segment,
    playedMs: 2_100,
  });

  it('records the start of a segment once, and writes its transcript entry only after its first word', () => {
    const step = afterPlayoutEvent([SEGMENT, WAITING], segmentStarted());
    expect(segmentsOf(step)).toEqual([{ ...SEGMENT, playout: { startedUs: 12_000_000, startMs: 700 } }, WAITING]);
    expect(transcriptTexts(step)).toEqual([]);
    expect(timerCommands(step)).toContain('agent_entry');
    expect(segmentsOf(afterPlayoutEvent([PLAYING], segmentStarted()))).toEqual([PLAYING]);
  });

  it('records the end of a segment with its transcript entry', () => {
    const step = afterPlayoutEvent([PLAYING, WAITING], segmentEnded());
    expect(segmentsOf(step)).toMatchObject([{ ...PLAYING, playout: { endedUs: NOW_MS * 1000 }, ended: true }, WAITING]);
    expect(transcriptTexts(step)).toEqual(['One two three.']);
  });

  it('is ignored for another utterance, for a dropped segment and without a reply', () => {
    for (const event of [segmentStarted(2), segmentEnded(2)])
      expect(segmentsOf(afterPlayoutEvent([PLAYING], event))).toEqual([PLAYING]);
    for (const event of [segmentStarted(1, 7), segmentEnded(1, 7)]) {
      const step = afterPlayoutEvent([WAITING], event);
      expect([segmentsOf(step), transcriptTexts(step)]).toEqual([[WAITING], []]);
    }
    for (const event of [segmentStarted(), segmentEnded()]) {
      const step = ruleStep({}, NOW_MS, event);
      onPlayoutEvent(step);
      expect(transcriptTexts(step)).toEqual([]);
    }
    expect(issuedCommands(afterPlayoutEvent([PLAYING], { type: 'call.offered' }))).toEqual([]);
  });

  it('restarts the watchdogs, except the playout watchdog while playback is paused', () => {
    expect(timerCommands(afterPlayoutEvent([PLAYING, WAITING], segmentEnded()))).toContain('voice');
    const waitingAudio = { ...WAITING, voiceStartedUs: 11_000_000, durationMs: 1_000 };
    expect(timerCommands(afterPlayoutEvent([PLAYING, waitingAudio], segmentEnded()))).toContain('playout');
    expect(
      timerCommands(
        afterPlayoutEvent([PLAYING, waitingAudio], segmentEnded(), {
          interruption: { ...TENTATIVE, status: 'resumed' },
        }),
      ),
    ).toContain('playout');
    expect(
      timerCommands(afterPlayoutEvent([PLAYING, waitingAudio], segmentEnded(), { interruption: TENTATIVE })),
    ).not.toContain('playout');
  });

  it('records the position at which playback was paused', () => {
    const paused = (utterance: number): CallEvent => ({ type: 'media.paused', utterance, playedMs: 1_234 });
    const withPosition = afterPlayoutEvent([PLAYING], paused(1), { interruption: TENTATIVE });
    expect(withPosition.context.interruption).toEqual({ ...TENTATIVE, playedMs: 1_234 });
    expect(issuedCommands(withPosition)).toEqual([]);
    expect(afterPlayoutEvent([PLAYING], paused(2), { interruption: TENTATIVE }).context.interruption).toEqual(
      TENTATIVE,
    );
    expect(afterPlayoutEvent([PLAYING], paused(1)).context.interruption).toBeNull();
    const withoutReply = ruleStep({ interruption: TENTATIVE }, NOW_MS, paused(1));
    onPlayoutEvent(withoutReply);
    expect(withoutReply.context.interruption).toEqual(TENTATIVE);
  });
});

describe('paused playback', () => {
  it('pauses the playout and stops its watchdog', () => {
    const step = stepWithReply([PLAYING]);
    pausePlayback(step);
    expect(issuedCommands(step)).toEqual([{ type: 'playout.pause' }, { type: 'timer.stop', timer: 'playout' }]);
  });

  it('resumes at the exact sample, and moves the start of the segment by the pause', () => {
    const step = stepWithReply(
      [ENDED, { ...PLAYING, playout: { startedUs: 10_000_000, startMs: 500 } }, WAITING],
      undefined,
      {
        interruption: { ...TENTATIVE, playedMs: 1_300 },
      },
    );
    resumePlayback(step);
    expect(outputCommands(step)).toEqual([{ type: 'playout.resume' }]);
    expect(timerCommands(step)).toContain('playout');
    expect(step.context).toMatchObject({ interruption: { status: 'resumed' } });
    // 800 ms of the segment were played, so its start moves by 1.2 s to 11.2 s.
    const movedPlayout = {
      startedUs: 11_200_000,
      startMs: 500,
      pauses: [{ untilUs: 12_000_000, durationUs: 1_200_000 }],
    };
    expect(segmentsOf(step).map((segment) => segment.playout)).toEqual([ENDED.playout, movedPlayout, null]);
  });

  it('moves the start to now when the segment was paused before its first sample', () => {
    const unplayed = { ...PLAYING, playout: { startedUs: 11_900_000, startMs: 900 } };
    const step = stepWithReply([unplayed], undefined, { interruption: { ...TENTATIVE, playedMs: 800 } });
    resumePlayback(step);
    expect(segmentsOf(step)[0]?.playout?.startedUs).toBe(12_000_000);
  });

  it('moves the start relative to the beginning of the hold when the call is on hold', () => {
    const step = stepWithReply([PLAYING], undefined, {
      haltedSinceUs: 11_000_000,
      interruption: { ...TENTATIVE, playedMs: 800 },
    });
    resumePlayback(step);
    expect(segmentsOf(step)[0]?.playout?.startedUs).toBe(10_200_000);
  });

  it('leaves the start unchanged when the position is unknown or no reply exists', () => {
    const step = stepWithReply([PLAYING], undefined, { interruption: TENTATIVE });
    resumePlayback(step);
    expect(segmentsOf(step)).toEqual([PLAYING]);
    const withoutReply = ruleStep({ interruption: { ...TENTATIVE, playedMs: 800 } }, NOW_MS);
    resumePlayback(withoutReply);
    expect(outputCommands(withoutReply)).toEqual([{ type: 'playout.resume' }]);
  });
});

describe('a call on hold', () => {
  const ON_HOLD: CallEvent = { type: 'control.on_hold' };
  const ON_HOLD_ENDED: CallEvent = { type: 'control.off_hold' };

  function afterOnHoldEvent(
    event: CallEvent,
    contextChanges: Partial<CallContext>,
    segments = [ENDED, PLAYING, WAITING],
  ): RuleStep {
    const step = stepWithReply(segments, event, contextChanges);
    updateHalt(step);
    return step;
  }

  it('halts the playout at the first hold event', () => {
    const step = afterOnHoldEvent(ON_HOLD, {});
    expect(step.context.haltedSinceUs).toBe(12_000_000);
    expect(segmentsOf(step)).toEqual([ENDED, PLAYING, WAITING]);
    const again = afterOnHoldEvent(ON_HOLD, { haltedSinceUs: 11_000_000 });
    expect([again.context.haltedSinceUs, issuedCommands(again)]).toEqual([11_000_000, []]);
  });

  it('continues the playing segment at its halted position', () => {
    const step = afterOnHoldEvent(ON_HOLD_ENDED, { haltedSinceUs: 11_500_000 });
    expect(step.context.haltedSinceUs).toBeNull();
    // 1.5 s of the segment were played.
    expect(segmentsOf(step).map(({ playout }) => playout?.startedUs)).toEqual([9_000_000, 10_500_000, undefined]);
    expect(segmentsOf(step)[1]).toEqual({ ...PLAYING, playout: { startedUs: 10_500_000, startMs: 0 } });
    expect(timerCommands(step)).toContain('playout');
    const neverOnHold = afterOnHoldEvent(ON_HOLD_ENDED, {});
    expect(issuedCommands(neverOnHold)).toEqual([]);
  });

  it('stays halted until both the hold and the suspension of its media are over', () => {
    const step = afterOnHoldEvent({ type: 'media.suspended' }, { haltedSinceUs: 11_500_000, haltedBy: ['control'] });
    expect([step.context.haltedSinceUs, step.context.haltedBy, issuedCommands(step)]).toEqual([
      11_500_000,
      ['control', 'media'],
      [],
    ]);
    const halted = afterOnHoldEvent(ON_HOLD_ENDED, { haltedSinceUs: 11_500_000, haltedBy: ['control', 'media'] });
    expect([halted.context.haltedSinceUs, halted.context.haltedBy, issuedCommands(halted)]).toEqual([
      11_500_000,
      ['media'],
      [],
    ]);
    const restored = afterOnHoldEvent({ type: 'media.restored' }, { haltedSinceUs: 11_500_000, haltedBy: ['media'] });
    expect([restored.context.haltedSinceUs, restored.context.haltedBy]).toEqual([null, []]);
    expect(segmentsOf(restored)[1]?.playout?.startedUs).toBe(10_500_000);
    expect(timerCommands(restored)).toContain('playout');
  });

  it('moves a start that falls into the hold to now', () => {
    const step = afterOnHoldEvent(ON_HOLD_ENDED, { haltedSinceUs: 9_000_000 }, [PLAYING]);
    expect(segmentsOf(step)[0]?.playout?.startedUs).toBe(12_000_000);
  });

  it('starts no playout watchdog while playback is paused', () => {
    expect(
      timerCommands(afterOnHoldEvent(ON_HOLD_ENDED, { haltedSinceUs: 11_500_000, interruption: TENTATIVE })),
    ).toEqual([]);
    expect(
      timerCommands(
        afterOnHoldEvent(ON_HOLD_ENDED, {
          haltedSinceUs: 11_500_000,
          interruption: { ...TENTATIVE, status: 'resumed' },
        }),
      ),
    ).toContain('playout');
    const withoutReply = ruleStep({ haltedSinceUs: 11_500_000 }, NOW_MS, ON_HOLD_ENDED);
    updateHalt(withoutReply);
    expect(withoutReply.context.haltedSinceUs).toBeNull();
  });
});

describe('a playout timeout', () => {
  const endReasons = (step: RuleStep) =>
    step.raised.flatMap((event) => (event.type === 'engine.end' ? [event.reason] : []));
  const CLEARED = [
    { type: 'voice.cancel', from: 2 },
    { type: 'playout.clear', utterance: 1 },
  ];
  const transferRequest = { destination: '+33123456789', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;

  it('drops the reply, and the agent listens', () => {
    const step = stepWithReply([{ ...PLAYING, number: 2 }], undefined, { pendingResponse: true });
    onPlayoutTimeout(step);
    expect(outputCommands(step)).toEqual(CLEARED);
    expect(step.context).toMatchObject({ reply: null, pendingResponse: false });
    expect([endReasons(step), notices(step)]).toEqual([[], [{ type: 'playout_stalled', next: 'listen' }]]);
  });

  it.each([
    { type: 'failure_transfer', request: transferRequest },
    { type: 'transfer', toolCallId: 'call_1', name: 'desk', request: transferRequest },
  ] as const)('drops the segments and keeps the follow-up: $type', (followUp) => {
    const step = withFollowUp(stepWithReply([{ ...PLAYING, number: 2 }]), followUp);
    onPlayoutTimeout(step);
    expect(outputCommands(step)).toEqual(CLEARED);
    expect(step.context.reply).toMatchObject({ segments: [], followUp });
    expect(timerCommands(step)).toContain('playout stops');
    expect(notices(step)).toEqual([{ type: 'playout_stalled', next: 'transfer' }]);
  });

  it.each([
    ['agent_hangup', 'agent_hangup'],
    // It is unknown how much of the message was recorded.
    ['voicemail_left', 'media_error'],
  ] as const)('ends a call whose decided end is %s with %s', (ending, reason) => {
    const step = stepWithReply([PLAYING], undefined, { decidedEnd: ending });
    onPlayoutTimeout(step);
    expect([endReasons(step), notices(step)]).toEqual([[reason], [{ type: 'playout_stalled', next: 'end' }]]);
  });

  it('does nothing without a reply', () => {
    const step = ruleStep({}, NOW_MS);
    onPlayoutTimeout(step);
    expect(outputCommands(step)).toEqual([]);
  });
});
