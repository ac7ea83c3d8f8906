import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { Segment } from '../../../engine/core/state/playout-slice.ts';
import { endedBeforeReply } from '../../../engine/interruption/words-before-reply.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import type { TranscribedWord } from '../../../engine/ports/transcriber.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const FIRST_PACKET_MS = 5_000;
const PAUSE_MS = 700;
const UNHEARD: Segment = {
  number: 1,
  item: 1,
  text: 'One moment.',
  interruptible: true,
  requestedUs: 4_000_000,
  voiceStartedUs: 4_100_000,
  durationMs: 2_000,
  words: [],
  playout: null,
  ended: false,
};
const HEARD: Segment = { ...UNHEARD, playout: { startedUs: FIRST_PACKET_MS * 1000, startMs: 0 } };
const NEXT: Segment = {
  ...UNHEARD,
  number: 2,
  playout: { startedUs: (FIRST_PACKET_MS + 2_000) * 1000, startMs: 2_000 },
};
const span = (endMs: number) => ({ text: 'at seven', startMs: endMs - 800, endMs });
const final = (endMs: number, words: readonly TranscribedWord[] = []): CallEvent => ({
  type: 'transcriber.final',
  words,
  ...span(endMs),
});

function isBefore(event: CallEvent, segments: readonly Segment[] = [HEARD, NEXT]): boolean {
  const step = ruleStep({}, 9_000, event);
  startReply(step, null);
  changeReply(step, { segments });
  return endedBeforeReply(step);
}

describe('the words of an event', () => {
  it.each<[string, (endMs: number) => CallEvent]>([
    ['interim', (endMs) => ({ type: 'transcriber.interim', ...span(endMs) })],
    ['final', final],
    ['turn', (endMs) => ({ type: 'transcriber.turn', phase: 'updated', ...span(endMs) })],
  ])('are late if they ended before the first packet of the reply: %s', (_type, event) => {
    expect(isBefore(event(FIRST_PACKET_MS))).toBe(true);
    expect(isBefore(event(FIRST_PACKET_MS + 1))).toBe(false);
  });

  it('end with the last word, where the transcriber reports one', () => {
    const words = [
      { text: 'at', startMs: 3_000, endMs: 3_200 },
      { text: 'seven', startMs: 4_000, endMs: FIRST_PACKET_MS },
    ];
    expect(isBefore(final(FIRST_PACKET_MS + 500, words))).toBe(true);
    const late = [...words.slice(0, 1), { text: 'seven', startMs: 4_500, endMs: FIRST_PACKET_MS + 1 }];
    expect(isBefore(final(FIRST_PACKET_MS, late))).toBe(false);
  });

  it('are not late while nothing of the reply was heard', () => {
    expect(isBefore(final(FIRST_PACKET_MS), [UNHEARD])).toBe(false);
    expect(isBefore(final(FIRST_PACKET_MS), [])).toBe(false);
    expect(endedBeforeReply(ruleStep({}, 9_000, final(FIRST_PACKET_MS)))).toBe(false);
  });

  it('are compared with the first segment that was heard', () => {
    expect(isBefore(final(FIRST_PACKET_MS), [UNHEARD, HEARD])).toBe(true);
    expect(isBefore(final(FIRST_PACKET_MS + 1_000), [UNHEARD, NEXT])).toBe(true);
  });

  it('are compared with the first packet also after playback was paused', () => {
    const playout = {
      startedUs: (FIRST_PACKET_MS + 2 * PAUSE_MS) * 1000,
      startMs: 0,
      pauses: [
        { untilUs: (FIRST_PACKET_MS + 1_000) * 1000, durationUs: PAUSE_MS * 1000 },
        { untilUs: (FIRST_PACKET_MS + 3_000) * 1000, durationUs: PAUSE_MS * 1000 },
      ],
    };
    const paused = [{ ...HEARD, playout }];
    expect(isBefore(final(FIRST_PACKET_MS), paused)).toBe(true);
    expect(isBefore(final(FIRST_PACKET_MS + 1), paused)).toBe(false);
  });
});

it('other events bring no late words', () => {
  expect(isBefore({ type: 'media.speech_stopped', audioMs: FIRST_PACKET_MS - 100 })).toBe(false);
});
