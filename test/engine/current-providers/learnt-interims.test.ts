import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import { NO_FAILURES } from '../../../engine/core/state/failover-slice.ts';
import { learnInterims, WORDS_WITHOUT_INTERIM_MS } from '../../../engine/current-providers/learnt-interims.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const span = { startMs: 1_000, endMs: 2_000 };
const interim: CallEvent = { type: 'transcriber.interim', text: 'yes', ...span };
const turn: CallEvent = { type: 'transcriber.turn', phase: 'updated', text: 'yes', ...span };

function final(wordsMs: number, text = 'yes'): CallEvent {
  return { type: 'transcriber.final', text, words: [{ text, startMs: 1_000, endMs: 1_000 + wordsMs }], ...span };
}

function learnt(event: CallEvent, before: boolean | null = null): boolean | null {
  const failover = { ...NO_FAILURES, transcriber: { ...NO_FAILURES.transcriber, sendsInterims: before } };
  const step = ruleStep({ failover }, 2_300, event);
  learnInterims(step);
  return step.context.failover.transcriber.sendsInterims;
}

describe('whether a transcriber sends interims', () => {
  it('is true after an interim or a turn, and stays true', () => {
    expect(learnt(interim)).toBe(true);
    expect(learnt(turn)).toBe(true);
    expect(learnt(interim, false)).toBe(true);
    expect(learnt(final(WORDS_WITHOUT_INTERIM_MS), true)).toBe(true);
  });

  it('is false after a final that no interim preceded, unless its words are short', () => {
    expect(learnt(final(WORDS_WITHOUT_INTERIM_MS))).toBe(false);
    expect(learnt({ type: 'transcriber.final', text: 'yes', words: [], ...span })).toBe(false);
  });

  it('stays unknown after short words, an empty final, or another event', () => {
    expect(learnt(final(WORDS_WITHOUT_INTERIM_MS - 1))).toBeNull();
    expect(learnt(final(WORDS_WITHOUT_INTERIM_MS, ''))).toBeNull();
    expect(learnt({ type: 'media.speech_stopped', audioMs: 1_000 })).toBeNull();
  });
});
