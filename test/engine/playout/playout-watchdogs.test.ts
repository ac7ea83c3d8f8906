import { describe, expect, it } from 'vitest';
import type { Segment, SegmentPlayout } from '../../../engine/core/state/playout-slice.ts';
import { onPlayoutTimeout } from '../../../engine/playout/playout.ts';
import { stopReplyTimers, watchPlayout, watchVoice } from '../../../engine/playout/playout-watchdogs.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const SEGMENT: Segment = {
  number: 1,
  item: 1,
  text: 'Ten chars.',
  interruptible: true,
  requestedUs: 0,
  voiceStartedUs: null,
  durationMs: null,
  words: [],
  playout: null,
  ended: false,
};

function stepWithReply(segments: readonly Segment[], atMs = 0) {
  const step = ruleStep({}, atMs);
  startReply(step, null);
  const { reply } = step.context;
  if (reply !== null) step.change({ reply: { ...reply, segments } });
  return step;
}

const playoutStartedAt = (ms: number): SegmentPlayout => ({ startedUs: ms * 1000, startMs: 0 });

describe('the voice watchdog', () => {
  it('waits for the first audio of the current segment, and restarts only for the next segment', () => {
    const step = stepWithReply([SEGMENT, { ...SEGMENT, number: 2 }]);
    watchVoice(step);
    watchVoice(step);
    expect(issuedCommands(step)).toEqual([{ type: 'timer.start', timer: 'voice', delayMs: 3_000 }]);
    const [first = SEGMENT, second = SEGMENT] = step.context.reply?.segments ?? [];
    const watchVoiceWith = (segments: readonly Segment[]) => {
      const { reply } = step.context;
      if (reply !== null) step.change({ reply: { ...reply, segments } });
      step.commands.length = 0;
      watchVoice(step);
      return issuedCommands(step);
    };
    expect(watchVoiceWith([{ ...first, voiceStartedUs: 1 }, second])).toEqual([{ type: 'timer.stop', timer: 'voice' }]);
    expect(watchVoiceWith([{ ...first, voiceStartedUs: 1, durationMs: 100 }, second])).toEqual([
      { type: 'timer.start', timer: 'voice', delayMs: 3_000 },
    ]);
    expect(
      watchVoiceWith([
        { ...first, durationMs: 100 },
        { ...second, durationMs: 100 },
      ]),
    ).toEqual([{ type: 'timer.stop', timer: 'voice' }]);
    expect(watchVoiceWith([])).toEqual([]);
  });
});

describe('the playout watchdog', () => {
  it('does not say a requested text again, of which the peer takes no audio', () => {
    const step = stepWithReply([SEGMENT]);
    changeReply(step, { keptTexts: [{ item: SEGMENT.item, text: { text: SEGMENT.text, interruptible: true } }] });
    onPlayoutTimeout(step);
    expect(step.context).toMatchObject({ reply: null, queuedSpeech: [] });
  });

  /** Longer than the three seconds after which a media worker that hangs is replaced. */
  const SLACK_MS = 4_000;

  it.each([
    ['no audio yet', [SEGMENT], null],
    ['audio that has not been sent', [{ ...SEGMENT, voiceStartedUs: 0 }], SLACK_MS],
    [
      'a playing segment of known length',
      [{ ...SEGMENT, voiceStartedUs: 0, durationMs: 800, playout: playoutStartedAt(0) }],
      300 + SLACK_MS,
    ],
    [
      'a segment that plays past its end',
      [{ ...SEGMENT, voiceStartedUs: 0, durationMs: 200, playout: playoutStartedAt(100) }],
      SLACK_MS,
    ],
    // 5 s plus 0.2 s for each of the 10 characters.
    [
      'a playing segment of unknown length',
      [{ ...SEGMENT, voiceStartedUs: 0, playout: playoutStartedAt(500) }],
      7_000 + SLACK_MS,
    ],
    [
      'its second segment due',
      [
        { ...SEGMENT, voiceStartedUs: 0, ended: true },
        { ...SEGMENT, voiceStartedUs: 0 },
      ],
      SLACK_MS,
    ],
    ['all segments played', [{ ...SEGMENT, voiceStartedUs: 0, ended: true }], null],
  ])('starts or stops its timer with %s', (_condition, segments, delayMs) => {
    const step = stepWithReply(segments, 500);
    watchPlayout(step);
    expect(issuedCommands(step)).toEqual([
      delayMs === null ? { type: 'timer.stop', timer: 'playout' } : { type: 'timer.start', timer: 'playout', delayMs },
    ]);
  });

  it('stops while the call is on hold', () => {
    const step = stepWithReply([{ ...SEGMENT, voiceStartedUs: 0 }]);
    step.change({ haltedSinceUs: 0 });
    watchPlayout(step);
    expect(issuedCommands(step)).toEqual([{ type: 'timer.stop', timer: 'playout' }]);
  });
});

it('the end of a reply stops all its timers', () => {
  const step = stepWithReply([SEGMENT]);
  watchVoice(step);
  step.commands.length = 0;
  stopReplyTimers(step);
  expect(issuedCommands(step)).toEqual(
    ['voice', 'generation', 'playout', 'interruption'].map((timer) => ({
      type: 'timer.stop',
      timer,
    })),
  );
  expect(step.context.failover.voice.awaitedSegment).toBeNull();
});
