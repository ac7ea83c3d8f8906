import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Reply, Segment } from '../core/state/playout-slice.ts';
import { openCircuits } from '../current-providers/circuits.ts';
import { changeVoiceState, voiceAt } from '../current-providers/current-voice.ts';
import { segmentInSynthesis, watchPlayout, watchVoice } from '../playout/playout-watchdogs.ts';
import { changeReply, speakSegment } from '../playout/reply.ts';
import { describeProviderError } from '../ports/provider-error.ts';
import type { VoiceOptions } from '../ports/voice.ts';
import { failCall, sayLanguageApology } from './call-failure.ts';
import { chooseProvider, isStall, type ProviderFailure } from './retry-or-fallback.ts';
import { splitSpokenText } from './voice-resume-point.ts';

/** Tries with one voice until it has spoken a whole segment again. */
const RETRIES_MAX = 1;

/** Opens the voice in use; it replaces any that was open. */
export function openVoice(step: RuleStep): void {
  const { agent, failover } = step.context;
  const { provider, name, speed, model, instructions } = voiceAt(agent, failover.voice.place);
  const options: Omit<VoiceOptions, 'format' | 'phrases'> = {
    provider,
    name,
    language: agent.language,
    speed,
    ...(model === undefined ? {} : { model }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(agent.pronunciations.length === 0 ? {} : { pronunciations: agent.pronunciations }),
  };
  step.command({ type: 'voice.open', options });
}

/**
 * The voice has failed, does not begin, or has ended a segment without a sample. What it has emitted is heard to its end;
 * the rest of that segment and all behind it are said by the same voice once more, or by the next one.
 */
export function onVoiceFailure(step: RuleStep): void {
  const { event } = step;
  const { reply } = step.context;
  const isReported = event.type === 'voice.failed' || event.type === 'voice.done';
  const failed = isReported
    ? reply?.segments.find(({ number }) => number === event.segment)
    : segmentInSynthesis(step.context);
  if (reply === null || failed === undefined) return;
  const why = failureDetail(step);
  step.log('warn', `the voice failed: ${why}`);
  const lost = removeUnspoken(step, reply, failed, isReported ? event.durationMs : 0);
  const retryable = event.type !== 'voice.failed' || event.error.retryable;
  const stalled = !isReported || (event.type === 'voice.failed' && isStall(event.error));
  if (!chooseVoice(step, { retryable, stalled }, isReported)) {
    onNoVoice(step, why);
    return;
  }
  for (const { item, text } of lost) speakSegment(step, item, text, true);
  watchVoice(step);
}

function failureDetail({ context, event }: RuleStep): string {
  if (event.type === 'voice.failed') return describeProviderError(event.error);
  const { provider } = voiceAt(context.agent, context.failover.voice.place);
  return `${provider} ${event.type === 'voice.done' ? 'malformed: a text without audio' : 'timeout: no audio in time'}`;
}

/** Takes what was not emitted out of the reply, and gives it back. */
function removeUnspoken(
  step: RuleStep,
  reply: Reply,
  failed: Segment,
  emittedMs: number,
): readonly Pick<Segment, 'item' | 'text'>[] {
  const at = reply.segments.indexOf(failed);
  const before = reply.segments.slice(0, at);
  if (emittedMs === 0) {
    // What comes before it is whole, and may still wait for room in the playout.
    step.command({ type: 'voice.cancel', from: failed.number });
    changeReply(step, { segments: before });
    return reply.segments.slice(at);
  }
  step.command({ type: 'voice.cancel', from: failed.number + 1 });
  const { characterMs } = step.context.failover.voice;
  const { said, rest } = splitSpokenText(failed.text, { emittedMs, words: failed.words, characterMs });
  changeReply(step, { segments: [...before, { ...failed, text: said, durationMs: emittedMs }] });
  const later = reply.segments.slice(at + 1);
  return rest === '' ? later : [{ item: failed.item, text: rest }, ...later];
}

/** False: there is none. */
function chooseVoice(step: RuleStep, failing: ProviderFailure, isReported: boolean): boolean {
  const { agent, failover } = step.context;
  const { place, openedUs, retriesUs } = failover.voice;
  const out = openCircuits(1 + agent.fallbacks.voice.length, openedUs, step.nowUs);
  const choice = chooseProvider(place, out, failing, retriesUs.length < RETRIES_MAX);
  if (choice.type === 'retry') {
    changeVoiceState(step, { retriesUs: [...retriesUs, step.nowUs] });
    // A stream that reported its failure reconnects itself; a silent one may hang while it connects.
    if (!isReported) openVoice(step);
    return true;
  }
  changeVoiceState(step, { openedUs: new Map([...openedUs, [place, step.nowUs]]) });
  if (choice.type === 'none') return false;
  changeVoice(step, choice.place, []);
  const { provider, name } = voiceAt(agent, choice.place);
  step.log('warn', `the voice is now ${provider} ${name}`);
  return true;
}

/**
 * The agent's own voice is opened once more, for the apology: a cache may hold that. Where this fails too, nothing is
 * left to say and the call ends, or is handed over, as soon as what was emitted has been heard.
 */
function onNoVoice(step: RuleStep, why: string): void {
  const { decidedEnd, failover, failure, reply } = step.context;
  // A message that could not be said was not left.
  if (decidedEnd === 'voicemail_left') step.change({ decidedEnd: 'voice_error' });
  else if (decidedEnd === null) {
    changeVoice(step, 0, [step.nowUs]);
    failCall(step, 'voice_error', why);
  } else if (failure !== null && !failover.apologised && reply?.followUp.type !== 'transfer') {
    // The agent's own message was not to be said either: of the language's apology there may be a recording.
    changeVoice(step, 0, [step.nowUs]);
    sayLanguageApology(step);
  }
  watchVoice(step);
  watchPlayout(step);
}

function changeVoice(step: RuleStep, place: number, retriesUs: readonly number[]): void {
  changeVoiceState(step, { place, retriesUs, characterMs: null });
  openVoice(step);
}

/** The voice ended a segment without a sample, although each text given to it has a sound. */
export function isSilentSegment(_context: CallContext, event: RuleStep['event']): boolean {
  return event.type === 'voice.done' && event.durationMs === 0;
}
