import { describe, expect, it } from 'vitest';
import { NO_SPEECH } from '../../../engine/core/state/speech-timeline.ts';
import type { UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { measureOwnPause } from '../../../engine/turn-detection/pause-measurement.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';
import { ruleStep } from '../simulation/rule-step.ts';

/** Pauses that count. */
const PAUSES_MAX = 8;
const PAUSED_MS = 1_000;

/** A turn whose words end at `wordsEndMs`, and whose voice activity has ended at `PAUSED_MS`. */
function turnUntil(wordsEndMs: number | null, changes: Partial<UserTurn> = {}): UserTurn {
  const revision = { text: 'I want', startMs: 0, endMs: wordsEndMs ?? 0, words: [], isFinal: true };
  const speech = wordsEndMs === null ? NO_SPEECH : revise(NO_SPEECH, revision, { activityStartMs: 0, wordErrorMs: 0 });
  return { ...ruleStep().context.userTurn, speech, endedUs: PAUSED_MS * 1000, ...changes };
}

/** The turn once the user speaks again. */
function spokenAgain(userTurn: UserTurn, audioMs: number): UserTurn {
  const step = ruleStep({ userTurn }, audioMs, { type: 'media.speech_started', audioMs });
  measureOwnPause(step);
  return step.context.userTurn;
}

/** The pauses that are known after an event of the transcriber. */
function pausesAfterWords(userTurn: UserTurn, earlierMs: readonly number[] = []): readonly number[] {
  const step = ruleStep({ userTurn, ownPausesMs: earlierMs }, 3_000);
  measureOwnPause(step);
  return step.context.ownPausesMs;
}

describe('a pause of the user', () => {
  it('counts once words after it are known', () => {
    const again = spokenAgain(turnUntil(900), PAUSED_MS + 700);
    expect(again.pause).toEqual({ lengthMs: 700, untilUs: (PAUSED_MS + 700) * 1000 });
    expect(pausesAfterWords(again)).toEqual([]);
    expect(pausesAfterWords({ ...turnUntil(PAUSED_MS + 700), pause: again.pause })).toEqual([]);
    expect(pausesAfterWords({ ...turnUntil(PAUSED_MS + 701), pause: again.pause })).toEqual([700]);
  });

  it('is not measured before the first words or without silence', () => {
    expect(spokenAgain(turnUntil(null), PAUSED_MS + 700).pause).toBeNull();
    expect(spokenAgain(turnUntil(900, { endedUs: null }), PAUSED_MS + 700).pause).toBeNull();
    expect(spokenAgain(turnUntil(900), PAUSED_MS).pause).toBeNull();
  });

  it('is forgotten after eight others', () => {
    const earlierMs = Array.from({ length: PAUSES_MAX }, (_, at) => at);
    const { pause } = spokenAgain(turnUntil(900), PAUSED_MS + 700);
    const pauses = pausesAfterWords({ ...turnUntil(2_500), pause }, earlierMs);
    expect(pauses).toEqual([...earlierMs.slice(1), 700]);
  });
});
