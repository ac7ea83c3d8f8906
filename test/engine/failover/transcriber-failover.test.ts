import { expect, it } from 'vitest';
import { NO_FAILURES } from '../../../engine/core/state/failover-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { changeTranscriberState } from '../../../engine/current-providers/current-transcriber.ts';
import {
  onTranscriberStreamEvent,
  onTranscriberStreamEventInTransfer,
  rememberWordlessSpeech,
} from '../../../engine/failover/transcriber-failover.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { ruleStep, spokenTexts } from '../simulation/rule-step.ts';

/** Speech without words that is older than this is not sent again. */
const WORDLESS_RESEND_MS_MAX = 15_000;

function wordlessSinceMs(beforeMs: number | null, startedMs: number | null): number | null {
  const startedUs = startedMs === null ? null : startedMs * 1000;
  const step = ruleStep({ userTurn: { ...SILENT_USER, startedUs } }, 60_000);
  changeTranscriberState(step, { wordlessSinceMs: beforeMs });
  rememberWordlessSpeech(step);
  return step.context.failover.transcriber.wordlessSinceMs;
}

it('speech without words is remembered from the first sound that is recent enough to be sent again', () => {
  expect(wordlessSinceMs(null, 2_000)).toBe(2_000);
  expect(wordlessSinceMs(2_000, 2_000 + WORDLESS_RESEND_MS_MAX)).toBe(2_000);
  expect(wordlessSinceMs(2_000, 2_001 + WORDLESS_RESEND_MS_MAX)).toBe(2_001 + WORDLESS_RESEND_MS_MAX);
});

it('a sound that belongs to a committed turn is not remembered as speech without words', () => {
  expect(wordlessSinceMs(2_000, null)).toBe(2_000);
  expect(wordlessSinceMs(null, null)).toBeNull();
});

it('the measured latencies of finals end with their transcriber; the user’s own pauses stay', () => {
  const afterFailure = (retryable: boolean) => {
    const error = { provider: 'test', code: 'closed' as const, message: 'none', retryable };
    const agent = agentWith({ fallbacks: { transcriber: [{ provider: 'second' }] } });
    const learnt = { finalLatenciesMs: [150, 200, 180], ownPausesMs: [700] };
    const step = ruleStep({ agent, ...learnt }, 9_000, { type: 'transcriber.failed', error });
    onTranscriberStreamEvent(step);
    return step.context;
  };
  expect(afterFailure(true)).toMatchObject({ finalLatenciesMs: [150, 200, 180], ownPausesMs: [700] });
  expect(afterFailure(false)).toMatchObject({ finalLatenciesMs: [], ownPausesMs: [700] });
});

it('a failure of the last transcriber during a transfer decides how the call ends if the transfer fails, without a word', () => {
  const error = { provider: 'test', code: 'closed' as const, message: 'none', retryable: false };
  const step = ruleStep({}, 9_000, { type: 'transcriber.failed', error });
  onTranscriberStreamEventInTransfer(step);
  expect(step.context).toMatchObject({
    decidedEnd: 'transcriber_error',
    failure: { reason: 'transcriber_error', detail: 'test closed: none' },
    failover: { transcriber: { gap: null } },
  });
  expect(spokenTexts(step)).toEqual([]);
});

it('a failed turn counts for a minute, and a transcriber that fails after it has its chance again', () => {
  const COUNTS_MS = 60_000;
  const failedTurnsAfter = (ms: number) => {
    const error = { provider: 'test', code: 'closed' as const, message: 'none', retryable: true };
    const failedTurns = { reason: 'transcriber_error' as const, count: 1, reply: 1, atUs: 5_000_000 };
    const step = ruleStep({ failover: { ...NO_FAILURES, failedTurns } }, 5_000 + ms, {
      type: 'transcriber.failed',
      error,
    });
    onTranscriberStreamEvent(step);
    return step.context.failover.failedTurns?.count;
  };
  expect(failedTurnsAfter(COUNTS_MS)).toBe(1);
  expect(failedTurnsAfter(COUNTS_MS + 1)).toBeUndefined();
});

it('a stream that does not get ready in time is opened again, without a failed turn', () => {
  const step = ruleStep({}, 9_000, { type: 'timer', timer: 'transcriber' });
  changeTranscriberState(step, { gap: { lostMs: 8_000, phase: 'opening' } });
  onTranscriberStreamEvent(step);
  expect(step.context).toMatchObject({ decidedEnd: null, failover: { failedTurns: null } });
  expect(step.context.failover.transcriber.gap?.lostMs).toBe(8_000);
});

it('lost speech is dropped once the call fails because it has no transcriber', () => {
  const error = { provider: 'test', code: 'closed' as const, message: 'none', retryable: true };
  const failedTurns = { reason: 'transcriber_error' as const, count: 1, reply: 1, atUs: 0 };
  const failover = { ...NO_FAILURES, failedTurns };
  const step = ruleStep({ failover }, 9_000, { type: 'transcriber.failed', error });
  const retriesUs = [8_000_000, 8_500_000];
  changeTranscriberState(step, { failedSinceUs: -60_000_000, retriesUs, gap: { lostMs: 1_000, phase: 'opening' } });
  onTranscriberStreamEvent(step);
  expect(step.context).toMatchObject({ decidedEnd: 'transcriber_error', failover: { transcriber: { gap: null } } });
});
