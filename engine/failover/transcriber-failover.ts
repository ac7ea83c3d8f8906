import type { RuleStep } from '../core/rule-step.ts';
import type { TranscriberGap } from '../core/state/failover-slice.ts';
import {
  changeTranscriberState,
  currentTranscriber,
  transcriberName,
  transcriberTraits,
} from '../current-providers/current-transcriber.ts';
import { retryBudgetLeftMs } from '../current-providers/retry-budget.ts';
import { skippedProviders } from '../current-providers/skipped-providers.ts';
import { closeGap, hasUntranscribedSpeech } from '../current-providers/transcription-gap.ts';
import { makeUninterruptible } from '../interruption/interruption.ts';
import { describeProviderError } from '../ports/provider-error.ts';
import type { TranscriberOptions } from '../ports/transcriber.ts';
import { WORDLESS_SPEECH_MS } from '../turn-detection/final-timeout.ts';
import { areWordsMissing } from '../turn-detection/missing-words.ts';
import { changingCommittedWords, transcribedUntilMs } from '../user-speech/open-speech.ts';
import { loseStream } from '../user-speech/speech-timeline.ts';
import { failCall, recordFailure } from './call-failure.ts';
import { failTurn, resetFailedTurns } from './failed-turn.ts';
import { retryDelayMs } from './retry-delay.ts';
import {
  chooseProvider,
  isStall,
  logProviderFailure,
  type ProviderFailure,
  recentRetries,
} from './retry-or-next-provider.ts';

/** Retries before a fallback transcriber is opened. */
const RETRIES_BEFORE_FALLBACK = 1;
/** A failed turn counts against the transcribers for this long, in µs. */
const FAILED_TURN_COUNTS_US = 60_000_000;
/** After a failed turn the transcribers are tried again, with a new retry budget, after this time. */
const FAILED_TURN_DELAY_MS = 4_000;
/** Timeout of `transcriber.open`; transcribers are ready after 0.1–1 s. */
const READY_MS_MAX = 3_000;
/** Timeout of the words of audio that is sent again, much faster than real time. After it the engine expects none. */
const CATCH_UP_MS_MAX = 2_000;
/**
 * The timeout is extended by this while words of the user are missing. An answer to half a sentence would have to be
 * corrected; a longer silence lets the user ask whether the agent is still there.
 */
const UNKNOWN_WORDS_MS_MAX = 3_000;
/** Audio sent again from before the start of speech: voice activity is detected late, and a short word not at all. */
const LEAD_MS = 1_500;
/** Speech that is older than this is not sent again if it has no words, or if its words are committed. */
const RESEND_MS_MAX = 15_000;

/** Opens the current transcriber with the user's audio from `fromMs` on. */
export function openTranscriber(step: RuleStep, fromMs: number): void {
  const { agent } = step.context;
  const { provider, model, eot_threshold, eager_eot_threshold } = currentTranscriber(step.context);
  const options: Omit<TranscriberOptions, 'format'> = {
    provider,
    language: agent.language,
    vocabulary: agent.custom_vocabulary,
    ...(model === undefined ? {} : { model }),
    ...(eot_threshold === undefined ? {} : { eotThreshold: eot_threshold }),
    ...(eager_eot_threshold === undefined ? {} : { eagerEotThreshold: eager_eot_threshold }),
  };
  step.command({ type: 'transcriber.open', options, fromMs });
  changeTranscriberState(step, { thresholdRaised: false });
}

/**
 * Handles the events of the transcriber's stream. A lost stream is replaced, by the same provider or the next one, and
 * the audio without a final is sent again. The call fails once no transcriber is left.
 */
export function onTranscriberStreamEvent(step: RuleStep): void {
  if (!onTranscriberEvent(step)) onNoTranscriber(step);
}

/** During a transfer a failure is not announced; the call ends if the transfer fails too. */
export function onTranscriberStreamEventInTransfer(step: RuleStep): void {
  if (onTranscriberEvent(step)) return;
  closeGap(step);
  step.change({ decidedEnd: 'transcriber_error' });
  recordFailure(step, 'transcriber_error', failureDetail(step));
}

/** A turn ends without words: the transcriber may be mute, or about to fail. */
export function handleWordlessTurn(step: RuleStep): void {
  reopenMuteTranscriber(step);
  rememberWordlessSpeech(step);
}

/**
 * The transcriber reported no word of the user's speech. A stream can be open but mute: after long speech it is
 * reopened and gets the audio again. It is not reopened twice in a short time, since music and noise have no words
 * either.
 */
function reopenMuteTranscriber(step: RuleStep): void {
  const { userTurn, failover } = step.context;
  const { retriesUs } = failover.transcriber;
  if (userTurn.speaking || userTurn.startedUs === null || userTurn.endedUs === null) return;
  // Its words may only be late; a resend would double the load of a slow server.
  if (transcriberTraits(step.context).hasDeadline) return;
  // The transcriber has sent a final for this speech: an empty one, or an echo of the agent.
  if (userTurn.speech.finalUntilMs > step.audioMsAt(userTurn.startedUs)) return;
  const soundMs = (userTurn.endedUs - userTurn.startedUs) / 1000;
  if (soundMs < WORDLESS_SPEECH_MS || recentRetries(retriesUs, step.nowUs).length > 0) return;
  step.log({ type: 'transcriber_reopened', speechMs: Math.round(soundMs) });
  if (!reopen(step, { retryable: true, stalled: false }, null)) closeGap(step);
}

/**
 * Remembers a sound that is discarded as noise: if the stream fails, the next one gets it again, in case it has words.
 */
export function rememberWordlessSpeech(step: RuleStep): void {
  const { userTurn, failover } = step.context;
  if (userTurn.startedUs === null) return;
  const startedMs = step.audioMsAt(userTurn.startedUs);
  const { wordlessSinceMs } = failover.transcriber;
  const isRecent = wordlessSinceMs !== null && startedMs - wordlessSinceMs <= RESEND_MS_MAX;
  changeTranscriberState(step, { wordlessSinceMs: isRecent ? wordlessSinceMs : startedMs });
}

function onNoTranscriber(step: RuleStep): void {
  const { answeredUs, reply } = step.context;
  const detail = failureDetail(step);
  if (answeredUs === null) {
    recordFailure(step, 'transcriber_error', detail);
    step.raise({ type: 'engine.end', reason: 'transcriber_error' });
  } else if (reply?.followUp.type === 'end') {
    // The reply is a goodbye that needs no answer: it can no longer be interrupted.
    step.change({ decidedEnd: reply.followUp.reason });
    makeUninterruptible(step);
  } else if (step.event.type === 'transcriber.failed' && !step.event.error.retryable) {
    failCall(step, 'transcriber_error', detail);
  } else {
    onFailedTurn(step, detail);
    return;
  }
  closeGap(step);
}

/** The agent cannot hear, and apologises if the user is waiting. The user's words until the next retry are not lost. */
function onFailedTurn(step: RuleStep, detail: string): void {
  const lostMs = step.context.failover.transcriber.gap?.lostMs ?? step.time.audioMs;
  rememberWordlessSpeech(step);
  failTurn(step, 'transcriber_error', detail, hasUntranscribedSpeech(step) && step.context.reply === null);
  if (step.context.decidedEnd !== null) {
    closeGap(step);
    return;
  }
  // The known words are answered: no further words come before the next retry.
  const { reply, userTurn } = step.context;
  if (reply?.pending?.phase === 'withheld' && !userTurn.speaking)
    step.change({ userTurn: { ...userTurn, complete: true } });
  changeTranscriberState(step, { gap: { lostMs, phase: 'waiting' }, retriesUs: [], failedSinceUs: null });
  step.startTimer('transcriber', FAILED_TURN_DELAY_MS);
}

function failureDetail({ context, event }: RuleStep): string {
  if (event.type === 'transcriber.failed') return describeProviderError(event.error);
  return `${currentTranscriber(context).provider} timeout: not ready in time`;
}

/** False if no transcriber is left. */
function onTranscriberEvent(step: RuleStep): boolean {
  const { event } = step;
  const { gap } = step.context.failover.transcriber;
  if (event.type === 'transcriber.failed') {
    const { error } = event;
    const failing = { retryable: error.retryable, stalled: isStall(error) };
    return reopen(step, failing, failureDetail(step), error.retryAfterMs);
  }
  if (event.type === 'transcriber.ready') {
    changeTranscriberState(step, { failedSinceUs: null });
    if (gap?.phase === 'opening') catchUp(step, gap.lostMs);
    return true;
  }
  switch (gap?.phase) {
    case 'waiting':
      openAgain(step, gap.lostMs);
      return true;
    case 'opening':
      return reopen(step, { retryable: true, stalled: true }, failureDetail(step));
    case 'catchingUp':
      if (isSpeechMissing(step)) waitForMissingWords(step, gap);
      else closeGap(step);
      return true;
    default:
      closeGap(step);
      return true;
  }
}

/**
 * False if no transcriber is left.
 *
 * @param error for the log; null if the failure is already logged
 */
function reopen(step: RuleStep, failing: ProviderFailure, error: string | null, retryAfterMs = 0): boolean {
  const { agent, decidedEnd, failover } = step.context;
  const logFailure = (to: number | null) => {
    if (error === null) return;
    const from = transcriberName(agent, failover.transcriber.index);
    const next = to === null ? null : transcriberName(agent, to);
    logProviderFailure(step, { kind: 'transcriber', from, to: next, error });
  };
  // The call is ending: the transcriber is not needed any more.
  if (decidedEnd !== null) {
    logFailure(null);
    return true;
  }
  const { index, failedUs, gap } = failover.transcriber;
  const retriesUs = recentRetries(failover.transcriber.retriesUs, step.nowUs);
  const isSkipped = skippedProviders(1 + agent.fallbacks.transcriber.length, failedUs, step.nowUs);
  const failedSinceUs = failover.transcriber.failedSinceUs ?? step.nowUs;
  const waitMs = retryWaitMs(step, retriesUs.length, failedSinceUs, retryAfterMs);
  const hasFallback = isSkipped.some((skipped, other) => !skipped && other !== index);
  const hasRetry = hasFallback ? retriesUs.length < RETRIES_BEFORE_FALLBACK : waitMs !== null;
  const choice = chooseProvider(index, isSkipped, failing, hasRetry);
  const lostMs = gap?.lostMs ?? step.time.audioMs;
  logFailure(choice.type === 'next' ? choice.index : null);
  changeTranscriberState(step, { failedSinceUs });
  forgetOldFailedTurn(step);
  if (choice.type === 'none') return false;
  if (choice.type === 'next') {
    // Latencies of another transcriber do not predict those of this one.
    step.change({ finalLatenciesMs: [] });
    changeTranscriberState(step, {
      index: choice.index,
      retriesUs: [],
      sendsInterims: null,
      failedUs: new Map([...failedUs, [index, step.nowUs]]),
    });
  } else changeTranscriberState(step, { retriesUs: [...retriesUs, step.nowUs] });
  changeTranscriberState(step, { gap: { lostMs, phase: 'waiting' } });
  if (choice.type === 'next' || waitMs === 0) openAgain(step, lostMs);
  else step.startTimer('transcriber', waitMs ?? 0);
  return true;
}

/** A stream that opens may fail again at once: only time proves that an outage is over. */
function forgetOldFailedTurn(step: RuleStep): void {
  const { failedTurns } = step.context.failover;
  if (failedTurns !== null && step.nowUs - failedTurns.atUs > FAILED_TURN_COUNTS_US)
    resetFailedTurns(step, 'transcriber_error');
}

/** A closed socket often reopens at once: the first retry waits only if the transcriber asks for it. Null: no retry is left. */
function retryWaitMs(step: RuleStep, retries: number, failedSinceUs: number, requestedMs: number): number | null {
  if (retries === 0) return Math.min(requestedMs, retryBudgetLeftMs(failedSinceUs, step.nowUs));
  return retryDelayMs(step, { delays: retries - 1, failedSinceUs, requestedMs });
}

function openAgain(step: RuleStep, lostMs: number): void {
  changeTranscriberState(step, { gap: { lostMs, phase: 'opening' } });
  const { userTurn } = step.context;
  const fromMs = resendFromMs(step, lostMs);
  step.change({ userTurn: { ...userTurn, speech: loseStream(userTurn.speech, fromMs) } });
  openTranscriber(step, fromMs);
  step.startTimer('transcriber', READY_MS_MAX);
}

/**
 * Audio is sent again from the end of the last final, or from the start of speech if that is later: without silence.
 * Committed words whose final is still to come are among it: the stream may have reported only a part of them.
 */
function resendFromMs(step: RuleStep, lostMs: number): number {
  const { startedUs, speech } = step.context.userTurn;
  const changing = changingCommittedWords(speech, lostMs - RESEND_MS_MAX);
  const knownMs = changing.length > 0 ? speech.finalUntilMs : transcribedUntilMs(speech);
  const startedMs = startedUs === null ? lostMs : step.audioMsAt(startedUs);
  const { wordlessSinceMs } = step.context.failover.transcriber;
  const isRecent = wordlessSinceMs !== null && wordlessSinceMs >= knownMs && lostMs - wordlessSinceMs <= RESEND_MS_MAX;
  const begunMs = Math.min(
    lostMs,
    startedMs,
    isRecent ? wordlessSinceMs : lostMs,
    ...changing.map(({ startMs }) => startMs),
  );
  return Math.round(Math.max(knownMs, begunMs - LEAD_MS));
}

/** Without untranscribed speech the gap closes at once. */
function catchUp(step: RuleStep, lostMs: number): void {
  if (!hasUntranscribedSpeech(step)) {
    closeGap(step);
    return;
  }
  changeTranscriberState(step, { gap: { lostMs, phase: 'catchingUp', readyUs: step.nowUs } });
  step.startTimer('transcriber', CATCH_UP_MS_MAX);
}

/** The user speaks, or has spoken after the last known word. */
function isSpeechMissing(step: RuleStep): boolean {
  const { userTurn } = step.context;
  return userTurn.speaking || areWordsMissing(userTurn, transcriberTraits(step.context), step.time.audioClock);
}

function waitForMissingWords(step: RuleStep, gap: TranscriberGap): void {
  changeTranscriberState(step, { gap: { ...gap, phase: 'missingWords' } });
  step.startTimer('transcriber', UNKNOWN_WORDS_MS_MAX);
}
