import type { AgentConfiguration } from '../agent/agent.ts';
import type { Step } from '../call/step.ts';
import { describeProviderError } from '../ports/provider-error.ts';
import type { TranscriberOptions } from '../ports/transcriber.ts';
import { choose, type Failing, outOf, recentRetries } from './failover.ts';
import { giveUp } from './giving-up.ts';
import { changeLink, endGap, hasUnheard } from './transcriber-gap.ts';

/** Before each further try with the same transcriber: a socket that was closed opens again at once, or needs a moment. */
const BACKOFF_MS = [0, 500] as const;
/** A transcriber is ready 0.1–1 s after it is dialled. */
const READY_MAX_MS = 3_000;
/** Audio is sent again much faster than it was spoken: no words by then, and there are none. */
const CATCH_UP_MAX_MS = 2_000;
/** Sent again before the caller's first sound: voice activity is found late, and a short word not at all. */
const LEAD_MS = 1_500;

/** Opens the transcriber in use, with the caller's audio from `fromMs` on. */
export function openTranscriber(step: Step, fromMs: number): void {
  const { agent, failover } = step.context;
  const { provider, model, eot_threshold, eager_eot_threshold } = transcriberAt(agent, failover.transcriber.place);
  const options: Omit<TranscriberOptions, 'format'> = {
    provider,
    language: agent.language,
    vocabulary: agent.custom_vocabulary,
    ...(model === undefined ? {} : { model }),
    ...(eot_threshold === undefined ? {} : { eotThreshold: eot_threshold }),
    ...(eager_eot_threshold === undefined ? {} : { eagerEotThreshold: eager_eot_threshold }),
  };
  step.order({ type: 'transcriber.open', options, fromMs });
}

function transcriberAt(
  { transcriber, fallbacks }: AgentConfiguration,
  place: number,
): AgentConfiguration['transcriber'] {
  return [transcriber, ...fallbacks.transcriber][place] ?? transcriber;
}

/**
 * Whatever happens to the transcriber's stream. A stream that is lost costs the caller nothing: another one is opened,
 * of the same provider or of the next, and hears again what was not final. The agent gives up once all are gone.
 */
export function keepListening(step: Step): void {
  if (followLink(step) === 'gone') loseHearing(step);
}

/** The same while the caller is being handed over: nothing is said, and if they come back, the call cannot go on. */
export function keepListeningMeanwhile(step: Step): void {
  if (followLink(step) === 'gone') step.change({ ending: 'transcriber_error' });
}

function loseHearing(step: Step): void {
  if (step.context.answeredUs === null) step.raise({ type: 'engine.end', reason: 'transcriber_error' });
  else giveUp(step, 'transcriber_error');
}

function followLink(step: Step): 'kept' | 'gone' {
  const { event } = step;
  const { gap } = step.context.failover.transcriber;
  if (event.type === 'transcriber.failed') {
    step.log('warn', `the transcriber failed: ${describeProviderError(event.error)}`);
    return reopen(step, { retryable: event.error.retryable, stalled: false });
  }
  if (event.type === 'transcriber.ready') {
    if (gap?.phase === 'opening') catchUp(step, gap.lostMs);
    return 'kept';
  }
  switch (gap?.phase) {
    case 'waiting':
      dial(step);
      return 'kept';
    case 'opening':
      step.log('warn', `the transcriber was not ready after ${READY_MAX_MS} ms`);
      return reopen(step, { retryable: true, stalled: true });
    default:
      endGap(step);
      return 'kept';
  }
}

function reopen(step: Step, failing: Failing): 'kept' | 'gone' {
  const { agent, ending, endReason, failover } = step.context;
  // Nobody is listened to any more.
  if (ending !== null || endReason !== null) return 'kept';
  const { place, outUs, gap } = failover.transcriber;
  const retriesUs = recentRetries(failover.transcriber.retriesUs, step.nowUs);
  const out = outOf(1 + agent.fallbacks.transcriber.length, outUs, step.nowUs);
  const backoffMs = BACKOFF_MS[retriesUs.length];
  const choice = choose(place, out, failing, backoffMs !== undefined);
  const lostMs = gap?.lostMs ?? step.moment.audioMs;
  if (choice.type === 'gone') {
    endGap(step);
    return 'gone';
  }
  if (choice.type === 'next') {
    changeLink(step, { place: choice.place, retriesUs: [], outUs: new Map([...outUs, [place, step.nowUs]]) });
    step.log('warn', `the transcriber is now ${transcriberAt(agent, choice.place).provider}`);
  } else changeLink(step, { retriesUs: [...retriesUs, step.nowUs] });
  changeLink(step, { gap: { lostMs, phase: 'waiting' } });
  if (choice.type === 'next' || backoffMs === undefined || backoffMs === 0) dial(step);
  else step.startTimer('transcriber', backoffMs);
  return 'kept';
}

function dial(step: Step): void {
  const { gap } = step.context.failover.transcriber;
  if (gap === null) return;
  changeLink(step, { gap: { ...gap, phase: 'opening' } });
  // What is sent again holds no word of a turn that was taken.
  step.change({ caller: { ...step.context.caller, takenWords: 0 } });
  openTranscriber(step, resendFromMs(step, gap.lostMs));
  step.startTimer('transcriber', READY_MAX_MS);
}

/** From the end of what is final, and not from long before anything was said: silence is not sent again. */
function resendFromMs(step: Step, lostMs: number): number {
  const { startedUs, takenUntilMs, finalUntilMs } = step.context.caller;
  const begunMs = startedUs === null ? lostMs : Math.min(lostMs, (startedUs - step.moment.audioEpochUs) / 1000);
  return Math.round(Math.max(0, takenUntilMs, finalUntilMs, begunMs - LEAD_MS));
}

/** With nothing of the caller's in the air there is nothing to catch up with. */
function catchUp(step: Step, lostMs: number): void {
  if (!hasUnheard(step)) {
    endGap(step);
    return;
  }
  changeLink(step, { gap: { lostMs, phase: 'catchingUp' } });
  step.startTimer('transcriber', CATCH_UP_MAX_MS);
}
