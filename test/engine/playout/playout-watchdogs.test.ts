import { describe, expect, it } from 'vitest';
import type { Segment, SegmentPlayout } from '../../../engine/core/state/playout-slice.ts';
import { stopReplyTimers, watchPlayout, watchVoice } from '../../../engine/playout/playout-watchdogs.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const SEGMENT: Segment = {
  number: 1,
  item: 1,
  text: 'Ten chars.',
  requestedUs: 0,
  voiceStartedUs: null,
  durationMs: null,
  words: [],
  playout: null,
  ended: false,
};

function replying(segments: readonly Segment[], atMs = 0) {
  const step = ruleStep({}, atMs);
  startReply(step, null);
  const { reply } = step.context;
  if (reply !== null) step.change({ reply: { ...reply, segments } });
  return step;
}

const wireAt = (ms: number): SegmentPlayout => ({ startedUs: ms * 1000, playedMs: 0 });

describe('a voice', () => {
  it('owes the first audio of the segment that it is at, and nothing moves that but its coming to the next', () => {
    const step = replying([SEGMENT, { ...SEGMENT, number: 2 }]);
    watchVoice(step);
    watchVoice(step);
    expect(issuedCommands(step)).toEqual([{ type: 'timer.start', timer: 'voice', delayMs: 3_000 }]);
    const [first = SEGMENT, second = SEGMENT] = step.context.reply?.segments ?? [];
    const change = (segments: readonly Segment[]) => {
      const { reply } = step.context;
      if (reply !== null) step.change({ reply: { ...reply, segments } });
      step.commands.length = 0;
      watchVoice(step);
      return issuedCommands(step);
    };
    expect(change([{ ...first, voiceStartedUs: 1 }, second])).toEqual([{ type: 'timer.stop', timer: 'voice' }]);
    expect(change([{ ...first, voiceStartedUs: 1, durationMs: 100 }, second])).toEqual([
      { type: 'timer.start', timer: 'voice', delayMs: 3_000 },
    ]);
    expect(
      change([
        { ...first, durationMs: 100 },
        { ...second, durationMs: 100 },
      ]),
    ).toEqual([{ type: 'timer.stop', timer: 'voice' }]);
    expect(change([])).toEqual([]);
  });
});

describe('the wire', () => {
  it.each([
    ['has no audio yet', [SEGMENT], null],
    ['has audio that has not left', [{ ...SEGMENT, voiceStartedUs: 0 }], 1_000],
    [
      'plays what is as long as is known',
      [{ ...SEGMENT, voiceStartedUs: 0, durationMs: 800, playout: wireAt(0) }],
      1_300,
    ],
    ['plays past its end', [{ ...SEGMENT, voiceStartedUs: 0, durationMs: 200, playout: wireAt(100) }], 1_000],
    // 5 s, and 0.2 s a character.
    ['plays what nobody knows the length of', [{ ...SEGMENT, voiceStartedUs: 0, playout: wireAt(500) }], 8_000],
    [
      'plays the second one',
      [
        { ...SEGMENT, voiceStartedUs: 0, ended: true },
        { ...SEGMENT, voiceStartedUs: 0 },
      ],
      1_000,
    ],
    ['has played all', [{ ...SEGMENT, voiceStartedUs: 0, ended: true }], null],
  ])('that %s is watched for so long: %#', (_what, segments, delayMs) => {
    const step = replying(segments, 500);
    watchPlayout(step);
    expect(issuedCommands(step)).toEqual([
      delayMs === null ? { type: 'timer.stop', timer: 'playout' } : { type: 'timer.start', timer: 'playout', delayMs },
    ]);
  });

  it('owes nothing while the call is on hold', () => {
    const step = replying([{ ...SEGMENT, voiceStartedUs: 0 }]);
    step.change({ haltedSinceUs: 0 });
    watchPlayout(step);
    expect(issuedCommands(step)).toEqual([{ type: 'timer.stop', timer: 'playout' }]);
  });
});

it('nothing is watched any more behind a reply', () => {
  const step = replying([SEGMENT]);
  watchVoice(step);
  step.commands.length = 0;
  stopReplyTimers(step);
  expect(issuedCommands(step)).toEqual(
    ['voice', 'generation', 'thinking_filler', 'playout', 'interruption'].map((timer) => ({
      type: 'timer.stop',
      timer,
    })),
  );
  expect(step.context.failover.voice.awaitedSegment).toBeNull();
});
