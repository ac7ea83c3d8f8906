import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { TranscriberGap } from '../../../engine/core/state/failover-slice.ts';
import type { UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { changeTranscriberState } from '../../../engine/current-providers/current-transcriber.ts';
import {
  closeGapOnceCaughtUp,
  hasUntranscribedSpeech,
  isPartlyTranscribed,
} from '../../../engine/current-providers/transcription-gap.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const LOST_MS = 4_000;
/** Length of the audio at each event. */
const AUDIO_MS = 9_000;
/** Error of the word times of a transcriber that reports none about their ends. */
const ERROR_MS = 400;
const CATCHING_UP: TranscriberGap = { lostMs: LOST_MS, phase: 'catchingUp' };

function stepWithGap(gap: TranscriberGap | null, userTurn: Partial<UserTurn>, event?: CallEvent) {
  const step = ruleStep(
    { ...initialContext(agentWith({}), CALL_PARAMETERS), userTurn: { ...SILENT_USER, ...userTurn } },
    AUDIO_MS,
    event,
  );
  changeTranscriberState(step, { gap });
  return step;
}

function isClosedBy(event: CallEvent, userTurn: Partial<UserTurn> = {}, gap = CATCHING_UP): boolean {
  const step = stepWithGap(gap, userTurn, event);
  closeGapOnceCaughtUp(step);
  const stopsTimer = issuedCommands(step).some(
    (command) => command.type === 'timer.stop' && command.timer === 'transcriber',
  );
  expect(stopsTimer).toBe(step.context.failover.transcriber.gap === null);
  return stopsTimer;
}

const interim = (endMs: number): CallEvent => ({ type: 'transcriber.interim', text: 'yes', startMs: 1_000, endMs });

const final = (endMs: number, text = 'yes'): CallEvent => ({
  type: 'transcriber.final',
  text,
  words: [],
  startMs: 0,
  endMs,
});

describe('the gap after a lost transcriber stream', () => {
  it('closes once final words reach the position of the loss, minus the tolerance for the last word’s end', () => {
    expect([isClosedBy(final(LOST_MS - ERROR_MS - 1)), isClosedBy(final(LOST_MS - ERROR_MS))]).toEqual([false, true]);
    expect(isClosedBy(final(LOST_MS - ERROR_MS, ''))).toBe(true);
    const turn = { type: 'transcriber.turn', text: 'a', startMs: 0, endMs: LOST_MS - ERROR_MS } as const;
    expect(isClosedBy({ ...turn, phase: 'ended' })).toBe(true);
    expect(isClosedBy({ type: 'transcriber.utterance_end', lastWordEndMs: 0 })).toBe(true);
    expect(isClosedBy({ type: 'media.speech_started', audioMs: 3_900 })).toBe(false);
  });

  it('closes once final words reach the end of the user’s speech, if that came before the loss', () => {
    expect(isClosedBy(final(2_000 - ERROR_MS), { endedUs: 2_000_000 })).toBe(true);
    expect(isClosedBy(final(2_000 - ERROR_MS - 1), { endedUs: 2_000_000 })).toBe(false);
    expect(isClosedBy(final(2_000 - ERROR_MS), { endedUs: 2_000_000, speaking: true })).toBe(false);
  });

  it('stays open while the words of a slow stream have not reached the end of the speech', () => {
    const until = { endedUs: 6_000_000 };
    const gapAfter = (event: CallEvent, gap: TranscriberGap = CATCHING_UP, userTurn: Partial<UserTurn> = until) => {
      const step = stepWithGap(gap, userTurn, event);
      closeGapOnceCaughtUp(step);
      const timer = issuedCommands(step).find((command) => command.type === 'timer.start');
      expect(timer === undefined || timer.timer === 'transcriber').toBe(true);
      return [step.context.failover.transcriber.gap?.phase ?? null, timer?.delayMs ?? null];
    };
    expect(gapAfter(interim(LOST_MS))).toEqual(['missingWords', 2_000]);
    expect(gapAfter(interim(LOST_MS - ERROR_MS - 1))).toEqual(['catchingUp', null]);
    // Its interim may lack the last word.
    expect(gapAfter(interim(6_000 - ERROR_MS))).toEqual(['missingWords', 2_000]);
    expect(gapAfter(final(6_000 - ERROR_MS))).toEqual([null, null]);
    // As fast as the user speaks: up to 600 ms behind the audio.
    expect(gapAfter(interim(AUDIO_MS - 600), CATCHING_UP, { speaking: true, endedUs: 1_000_000 })).toEqual([
      null,
      null,
    ]);
    expect(gapAfter(interim(AUDIO_MS - 601), CATCHING_UP, { speaking: true })).toEqual(['missingWords', 2_000]);
    // At most 8 s from the stream's start.
    expect(gapAfter(interim(LOST_MS), { ...CATCHING_UP, readyUs: (AUDIO_MS - 7_000) * 1000 })).toEqual([
      'missingWords',
      1_000,
    ]);
    expect(gapAfter(interim(LOST_MS), { ...CATCHING_UP, readyUs: (AUDIO_MS - 9_000) * 1000 })).toEqual([
      'missingWords',
      0,
    ]);
  });

  it('stays open until a new stream is ready', () => {
    expect(isClosedBy(interim(9_000), {}, { ...CATCHING_UP, phase: 'opening' })).toBe(false);
    expect(isClosedBy(interim(9_000), {}, { ...CATCHING_UP, phase: 'waiting' })).toBe(false);
  });
});

describe('untranscribed speech', () => {
  const isUntranscribed = (userTurn: Partial<UserTurn>) => hasUntranscribedSpeech(stepWithGap(null, userTurn));

  it('is speech that continues, may still change, or ended well after the last final', () => {
    expect(isUntranscribed({})).toBe(false);
    expect(isUntranscribed({ speaking: true })).toBe(true);
    expect(isUntranscribed({ speech: speechOf({ interim: 'yes', interimEndMs: 2_000 }) })).toBe(true);
    expect(isUntranscribed({ endedUs: (2_001 + ERROR_MS) * 1000, speech: speechOf({ finalUntilMs: 2_000 }) })).toBe(
      true,
    );
    expect(isUntranscribed({ endedUs: (2_000 + ERROR_MS) * 1000, speech: speechOf({ finalUntilMs: 2_000 }) })).toBe(
      false,
    );
    expect(
      isUntranscribed({
        endedUs: (2_001 + ERROR_MS) * 1000,
        speech: speechOf({
          finalUntilMs: 1_000,
          committed: [{ entry: 1, wordsEndMs: 2_001, activityStartMs: null, activityEndMs: 2_001 }],
        }),
      }),
    ).toBe(false);
    expect(isUntranscribed({ startedUs: (2_001 + ERROR_MS) * 1000, speech: speechOf({ finalUntilMs: 2_000 }) })).toBe(
      true,
    );
  });

  it('counts as partly transcribed only during a gap', () => {
    expect(isPartlyTranscribed(stepWithGap(CATCHING_UP, { speaking: true }))).toBe(true);
    expect(isPartlyTranscribed(stepWithGap(null, { speaking: true }))).toBe(false);
    expect(isPartlyTranscribed(stepWithGap(CATCHING_UP, {}))).toBe(false);
  });
});
