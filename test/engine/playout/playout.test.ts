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
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const NOW_MS = 12_000;
const OPEN: Interruption = { status: 'tentative', startedUs: 0, stoppedUs: null, wordsBefore: 0, playedMs: null };

const SEGMENT: Segment = {
  number: 1,
  item: 1,
  text: 'One two three.',
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
  playout: { startedUs: 10_000_000, playedMs: 0 },
};
const WAITING: Segment = { ...SEGMENT, number: 2, text: 'Four five.' };
const ENDED: Segment = {
  ...SEGMENT,
  number: 0,
  durationMs: 500,
  playout: { startedUs: 9_000_000, playedMs: 0 },
  ended: true,
};

/** The agent says these segments, in utterance 1; `event` is what is told of them at 12 s. */
function saying(segments: readonly Segment[], event?: CallEvent, changed: Partial<CallContext> = {}): RuleStep {
  const step = ruleStep({}, NOW_MS, event);
  startReply(step, null);
  changeAgentItem(step, addAgentItem(step), { text: 'One two three. Four five.' });
  changeReply(step, { segments });
  step.change(changed);
  return step;
}

function told(segments: readonly Segment[], event: CallEvent, changed: Partial<CallContext> = {}): RuleStep {
  const step = saying(segments, event, changed);
  onPlayoutEvent(step);
  return step;
}

const segmentsOf = (step: RuleStep) => step.context.reply?.segments ?? [];
const timers = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => {
    if (command.type === 'timer.start') return [command.timer];
    return command.type === 'timer.stop' ? [`${command.timer} stops`] : [];
  });
const lines = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) =>
    command.type === 'journal.write' && command.entry.type === 'transcript' ? [command.entry.entry.content] : [],
  );
const ordersOf = (step: RuleStep) =>
  issuedCommands(step).filter(({ type }) => type.startsWith('playout.') || type.startsWith('voice.'));
const thenDone = (step: RuleStep, after: FollowUp): RuleStep => {
  changeReply(step, { followUp: after });
  return step;
};

describe('what the voice tells of a segment', () => {
  it('is kept of that segment, and the voice is watched on', () => {
    const started = told([SEGMENT, WAITING], { type: 'voice.started', segment: 1 });
    expect(segmentsOf(started)).toEqual([{ ...SEGMENT, voiceStartedUs: 12_000_000 }, WAITING]);
    const done = told([SEGMENT, WAITING], { type: 'voice.done', segment: 1, durationMs: 1_400 });
    expect(segmentsOf(done)).toEqual([{ ...SEGMENT, durationMs: 1_400 }, WAITING]);
    expect(timers(done)).toContain('voice');
    // How fast it speaks is learned from it: 100 ms a character.
    expect(done.context.failover.voice.characterMs).toBe(100);
    expect(saying([SEGMENT]).context.failover.voice.characterMs).toBeNull();
    const words = [{ text: 'One', startMs: 0, endMs: 300 }];
    const more = [{ text: 'two', startMs: 300, endMs: 600 }];
    const first = told([SEGMENT], { type: 'voice.words', segment: 1, words });
    const second = ruleStep(first.context, NOW_MS, { type: 'voice.words', segment: 1, words: more });
    onPlayoutEvent(second);
    expect(segmentsOf(second)[0]?.words).toEqual([...words, ...more]);
    expect(issuedCommands(second)).toEqual([]);
  });

  it('is nobody’s where the reply is over, or the segment was dropped', () => {
    const over = ruleStep({}, NOW_MS, { type: 'voice.done', segment: 1, durationMs: 1_400 });
    onPlayoutEvent(over);
    expect(over.context.failover.voice.characterMs).toBeNull();
    const dropped = told([WAITING], { type: 'voice.done', segment: 1, durationMs: 1_400 });
    expect(segmentsOf(dropped)).toEqual([WAITING]);
    expect(dropped.context.failover.voice.characterMs).toBeNull();
  });
});

describe('what the wire tells of a segment', () => {
  const began = (utterance = 1, segment = 1): CallEvent => ({
    type: 'media.segment_started',
    utterance,
    segment,
    playedMs: 700,
  });
  const ended = (utterance = 1, segment = 1): CallEvent => ({
    type: 'media.segment_ended',
    utterance,
    segment,
    playedMs: 2_100,
  });

  it('is when it began, once, and its line begins then', () => {
    const step = told([SEGMENT, WAITING], began());
    expect(segmentsOf(step)).toEqual([{ ...SEGMENT, playout: { startedUs: 12_000_000, playedMs: 700 } }, WAITING]);
    expect(lines(step)).toEqual(['One two three.']);
    expect(step.context.reply?.measured).toBe(true);
    expect(segmentsOf(told([PLAYING], began()))).toEqual([PLAYING]);
  });

  it('is its end, which is told with the line', () => {
    const step = told([PLAYING, WAITING], ended());
    expect(segmentsOf(step)).toEqual([{ ...PLAYING, ended: true }, WAITING]);
    expect(lines(step)).toEqual(['One two three.']);
  });

  it('is not its beginning as an answer where it only fills the wait', () => {
    const step = saying([SEGMENT], began());
    changeReply(step, { thinkingFillerItem: SEGMENT.item });
    onPlayoutEvent(step);
    expect(step.context.reply?.measured).toBe(false);
    expect(lines(step)).toEqual(['One two three.']);
  });

  it('is nothing of another utterance, of a segment that was dropped, or where nothing is said', () => {
    for (const event of [began(2), ended(2)]) expect(segmentsOf(told([PLAYING], event))).toEqual([PLAYING]);
    for (const event of [began(1, 7), ended(1, 7)]) {
      const step = told([WAITING], event);
      expect([segmentsOf(step), lines(step)]).toEqual([[WAITING], []]);
    }
    for (const event of [began(), ended()]) {
      const step = ruleStep({}, NOW_MS, event);
      onPlayoutEvent(step);
      expect(lines(step)).toEqual([]);
    }
    expect(issuedCommands(told([PLAYING], { type: 'call.offered' }))).toEqual([]);
  });

  it('is watched on, but for a playout that is held', () => {
    expect(timers(told([PLAYING, WAITING], ended()))).toContain('voice');
    const due = { ...WAITING, voiceStartedUs: 11_000_000, durationMs: 1_000 };
    expect(timers(told([PLAYING, due], ended()))).toContain('playout');
    expect(timers(told([PLAYING, due], ended(), { interruption: { ...OPEN, status: 'resumed' } }))).toContain(
      'playout',
    );
    expect(timers(told([PLAYING, due], ended(), { interruption: OPEN }))).not.toContain('playout');
  });

  it('is where it was held', () => {
    const paused = (utterance: number): CallEvent => ({ type: 'media.paused', utterance, playedMs: 1_234 });
    const held = told([PLAYING], paused(1), { interruption: OPEN });
    expect(held.context.interruption).toEqual({ ...OPEN, playedMs: 1_234 });
    expect(issuedCommands(held)).toEqual([]);
    expect(told([PLAYING], paused(2), { interruption: OPEN }).context.interruption).toEqual(OPEN);
    expect(told([PLAYING], paused(1)).context.interruption).toBeNull();
    const nothing = ruleStep({ interruption: OPEN }, NOW_MS, paused(1));
    onPlayoutEvent(nothing);
    expect(nothing.context.interruption).toEqual(OPEN);
  });
});

describe('a playout that is held', () => {
  it('stops before the next packet, and is not watched', () => {
    const step = saying([PLAYING]);
    pausePlayback(step);
    expect(issuedCommands(step)).toEqual([{ type: 'playout.pause' }, { type: 'timer.stop', timer: 'playout' }]);
  });

  it('goes on at the very sample, as if it had begun so much later', () => {
    const step = saying(
      [ENDED, { ...PLAYING, playout: { startedUs: 10_000_000, playedMs: 500 } }, WAITING],
      undefined,
      {
        interruption: { ...OPEN, playedMs: 1_300 },
      },
    );
    resumePlayback(step);
    expect(ordersOf(step)).toEqual([{ type: 'playout.resume' }]);
    expect(timers(step)).toContain('playout');
    expect(step.context).toMatchObject({ interruption: { status: 'resumed' }, metrics: { falseInterruptions: 1 } });
    // 800 ms of it were played: it goes on as if it had begun at 11.2 s, 1.2 s later.
    const wire = { startedUs: 11_200_000, playedMs: 500, paused: { untilUs: 12_000_000, forUs: 1_200_000 } };
    expect(segmentsOf(step).map((segment) => segment.playout)).toEqual([ENDED.playout, wire, null]);
  });

  it('was held before its first sample: it begins now', () => {
    const early = { ...PLAYING, playout: { startedUs: 11_900_000, playedMs: 900 } };
    const step = saying([early], undefined, { interruption: { ...OPEN, playedMs: 800 } });
    resumePlayback(step);
    expect(segmentsOf(step)[0]?.playout?.startedUs).toBe(12_000_000);
  });

  it('is counted from the hold on where the call itself is on hold', () => {
    const step = saying([PLAYING], undefined, { haltedSinceUs: 11_000_000, interruption: { ...OPEN, playedMs: 800 } });
    resumePlayback(step);
    expect(segmentsOf(step)[0]?.playout?.startedUs).toBe(10_200_000);
  });

  it('leaves the times where nobody told how far it was', () => {
    const step = saying([PLAYING], undefined, { interruption: OPEN });
    resumePlayback(step);
    expect(segmentsOf(step)).toEqual([PLAYING]);
    const nothing = ruleStep({ interruption: { ...OPEN, playedMs: 800 } }, NOW_MS);
    resumePlayback(nothing);
    expect(ordersOf(nothing)).toEqual([{ type: 'playout.resume' }]);
  });
});

describe('a call that its user holds', () => {
  const HELD: CallEvent = { type: 'control.on_hold' };
  const RESUMED: CallEvent = { type: 'control.off_hold' };

  function hear(event: CallEvent, changed: Partial<CallContext>, segments = [ENDED, PLAYING, WAITING]): RuleStep {
    const step = saying(segments, event, changed);
    updateHalt(step);
    return step;
  }

  it('stands still from then on, once', () => {
    const step = hear(HELD, {});
    expect(step.context.haltedSinceUs).toBe(12_000_000);
    expect(segmentsOf(step)).toEqual([ENDED, PLAYING, WAITING]);
    const again = hear(HELD, { haltedSinceUs: 11_000_000 });
    expect([again.context.haltedSinceUs, issuedCommands(again)]).toEqual([11_000_000, []]);
  });

  it('goes on where it stood, with what was playing', () => {
    const step = hear(RESUMED, { haltedSinceUs: 11_500_000 });
    expect(step.context.haltedSinceUs).toBeNull();
    // 1.5 s of it were played.
    expect(segmentsOf(step).map(({ playout }) => playout?.startedUs)).toEqual([9_000_000, 10_500_000, undefined]);
    expect(segmentsOf(step)[1]).toEqual({ ...PLAYING, playout: { startedUs: 10_500_000, playedMs: 0 } });
    expect(timers(step)).toContain('playout');
    const neverHeld = hear(RESUMED, {});
    expect(issuedCommands(neverHeld)).toEqual([]);
  });

  it('stands still until both the hold and the suspension of its media are over', () => {
    const step = hear({ type: 'media.suspended' }, { haltedSinceUs: 11_500_000, haltedBy: ['control'] });
    expect([step.context.haltedSinceUs, step.context.haltedBy, issuedCommands(step)]).toEqual([
      11_500_000,
      ['control', 'media'],
      [],
    ]);
    const held = hear(RESUMED, { haltedSinceUs: 11_500_000, haltedBy: ['control', 'media'] });
    expect([held.context.haltedSinceUs, held.context.haltedBy, issuedCommands(held)]).toEqual([
      11_500_000,
      ['media'],
      [],
    ]);
    const over = hear({ type: 'media.restored' }, { haltedSinceUs: 11_500_000, haltedBy: ['media'] });
    expect([over.context.haltedSinceUs, over.context.haltedBy]).toEqual([null, []]);
    expect(segmentsOf(over)[1]?.playout?.startedUs).toBe(10_500_000);
    expect(timers(over)).toContain('playout');
  });

  it('begins now with what was to begin while it was held', () => {
    const step = hear(RESUMED, { haltedSinceUs: 9_000_000 }, [PLAYING]);
    expect(segmentsOf(step)[0]?.playout?.startedUs).toBe(12_000_000);
  });

  it('is not watched where the playout was held before', () => {
    expect(timers(hear(RESUMED, { haltedSinceUs: 11_500_000, interruption: OPEN }))).toEqual([]);
    expect(
      timers(hear(RESUMED, { haltedSinceUs: 11_500_000, interruption: { ...OPEN, status: 'resumed' } })),
    ).toContain('playout');
    const nothing = ruleStep({ haltedSinceUs: 11_500_000 }, NOW_MS, RESUMED);
    updateHalt(nothing);
    expect(nothing.context.haltedSinceUs).toBeNull();
  });
});

describe('a playout that does not go on', () => {
  const ends = (step: RuleStep) => step.raised.flatMap((event) => (event.type === 'engine.end' ? [event.reason] : []));
  const errors = (step: RuleStep) =>
    step.commands.flatMap((command) => (command.type === 'log' && command.level === 'error' ? [command.message] : []));
  const CLEARED = [
    { type: 'voice.cancel', from: 2 },
    { type: 'playout.clear', utterance: 1 },
  ];
  const request = { destination: '+33123456789', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;

  it('is given up, and the agent listens', () => {
    const step = saying([{ ...PLAYING, number: 2 }], undefined, { pendingResponse: true });
    onPlayoutTimeout(step);
    expect(ordersOf(step)).toEqual(CLEARED);
    expect(step.context).toMatchObject({ reply: null, pendingResponse: false });
    expect([ends(step), errors(step)]).toEqual([[], ['the playout did not go on in time; the agent listens again']]);
  });

  it.each([
    { type: 'failure_transfer', request },
    { type: 'transfer', toolCallId: 'call_1', name: 'desk', request },
  ] as const)('is given up, and the user is handed over to whom they were to be: $type', (after) => {
    const step = thenDone(saying([{ ...PLAYING, number: 2 }]), after);
    onPlayoutTimeout(step);
    expect(ordersOf(step)).toEqual(CLEARED);
    expect(step.context.reply).toMatchObject({ segments: [], followUp: after });
    expect(timers(step)).toContain('playout stops');
    expect(errors(step)).toEqual(['the playout did not go on in time; the caller is handed over']);
  });

  it.each([
    ['agent_hangup', 'agent_hangup'],
    // Nobody knows what of the message is on the recording.
    ['voicemail_left', 'media_error'],
  ] as const)('ends a call that was to end as %s as %s', (ending, reason) => {
    const step = saying([PLAYING], undefined, { decidedEnd: ending });
    onPlayoutTimeout(step);
    expect([ends(step), errors(step)]).toEqual([
      [reason],
      ['the playout did not go on in time; the call ends as it was to'],
    ]);
  });

  it('is nobody’s where nothing is said', () => {
    const step = ruleStep({}, NOW_MS);
    onPlayoutTimeout(step);
    expect(ordersOf(step)).toEqual([]);
  });
});
