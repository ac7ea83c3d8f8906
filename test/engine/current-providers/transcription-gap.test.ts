import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { TranscriberGap } from '../../../engine/core/state/failover-slice.ts';
import type { UserTurn } from '../../../engine/core/state/user-turn-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/user-turn-slice.ts';
import { changeTranscriberState } from '../../../engine/current-providers/current-transcriber.ts';
import {
  closeGapOnceCaughtUp,
  hasUntranscribedSpeech,
  isPartlyTranscribed,
} from '../../../engine/current-providers/transcription-gap.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const CATCHING_UP: TranscriberGap = { lostMs: 4_000, phase: 'catchingUp' };

function stepIn(gap: TranscriberGap | null, caller: Partial<UserTurn>, event?: CallEvent) {
  const step = ruleStep(
    { ...initialContext(agentWith({}), CALL_PARAMETERS), userTurn: { ...SILENT_USER, ...caller } },
    9_000,
    event,
  );
  changeTranscriberState(step, { gap });
  return step;
}

function isClosedBy(event: CallEvent, caller: Partial<UserTurn> = {}, gap = CATCHING_UP): boolean {
  const step = stepIn(gap, caller, event);
  closeGapOnceCaughtUp(step);
  const stops = issuedCommands(step).some(
    (command) => command.type === 'timer.stop' && command.timer === 'transcriber',
  );
  expect(stops).toBe(step.context.failover.transcriber.gap === null);
  return stops;
}

const interim = (endMs: number): CallEvent => ({ type: 'transcriber.interim', text: 'yes', startMs: 1_000, endMs });

describe('what was lost with a transcriber’s stream', () => {
  it('is heard once words reach where that was lost, but for what a last word ends before its sound does', () => {
    expect([isClosedBy(interim(3_699)), isClosedBy(interim(3_700))]).toEqual([false, true]);
    const final: CallEvent = {
      type: 'transcriber.final',
      text: '',
      words: [],
      startMs: 0,
      endMs: 3_700,
      endOfTurn: false,
    };
    expect(isClosedBy(final)).toBe(true);
    expect(isClosedBy({ type: 'transcriber.turn', phase: 'updated', text: 'a', startMs: 0, endMs: 3_700 })).toBe(true);
    expect(isClosedBy({ type: 'transcriber.utterance_end', lastWordEndMs: 0 })).toBe(true);
    expect(isClosedBy({ type: 'media.speech_started', audioMs: 3_900 })).toBe(false);
  });

  it('is heard once words reach the end of what was said, where that came before', () => {
    expect(isClosedBy(interim(1_700), { endedUs: 2_000_000 })).toBe(true);
    expect(isClosedBy(interim(1_699), { endedUs: 2_000_000 })).toBe(false);
    expect(isClosedBy(interim(1_700), { endedUs: 2_000_000, speaking: true })).toBe(false);
  });

  it('is not heard before there is a stream again', () => {
    expect(isClosedBy(interim(9_000), {}, { ...CATCHING_UP, phase: 'opening' })).toBe(false);
    expect(isClosedBy(interim(9_000), {}, { ...CATCHING_UP, phase: 'waiting' })).toBe(false);
  });
});

describe('what was said behind the last final', () => {
  const unheard = (caller: Partial<UserTurn>) => hasUntranscribedSpeech(stepIn(null, caller));

  it('is what goes on, or may still change, or ended well behind it', () => {
    expect(unheard({})).toBe(false);
    expect(unheard({ speaking: true })).toBe(true);
    expect(unheard({ interim: { text: 'yes', endMs: 2_000 } })).toBe(true);
    expect(unheard({ endedUs: 2_301_000, finalUntilMs: 2_000 })).toBe(true);
    expect(unheard({ endedUs: 2_300_000, finalUntilMs: 2_000 })).toBe(false);
    expect(unheard({ endedUs: 2_301_000, finalUntilMs: 1_000, committedUntilMs: 2_001 })).toBe(false);
    expect(unheard({ startedUs: 2_301_000, finalUntilMs: 2_000 })).toBe(true);
  });

  it('is half heard only while a stream is missing', () => {
    expect(isPartlyTranscribed(stepIn(CATCHING_UP, { speaking: true }))).toBe(true);
    expect(isPartlyTranscribed(stepIn(null, { speaking: true }))).toBe(false);
    expect(isPartlyTranscribed(stepIn(CATCHING_UP, {}))).toBe(false);
  });
});
