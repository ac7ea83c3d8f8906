import type { CallContext } from '../call/call-context.ts';
import type { EndReason } from '../call/end-reason.ts';
import type { Step } from '../call/step.ts';
import type { LegEndCause } from '../ports/call-control.ts';
import { describeProviderError } from '../ports/provider-error.ts';
import { callMetrics } from './metrics.ts';
import { dropReply, giveUp } from './reply.ts';
import { abandonTools } from './tool-calls.ts';
import { writeTransition } from './transcript.ts';
import { keepLastWords } from './turn-taking.ts';
import { journalGiven, setVariable } from './variables.ts';

/** Signalling answers, rings out or fails long before this. */
const ANSWER_MAX_MS = 120_000;
/** After our BYE, for the leg's end and for an extraction that still runs. */
const ENDING_MAX_MS = 3_000;
/** What the API may tell the agent during a call; the oldest is dropped. */
const NOTES_MAX = 50;

/** Everything is opened ahead of the answer: the first word must find it ready. */
export function prepare(step: Step): void {
  const { agent, facts } = step.context;
  const { provider, model, eot_threshold, eager_eot_threshold } = agent.transcriber;
  step.order({
    type: 'transcriber.open',
    options: {
      provider,
      language: agent.language,
      vocabulary: agent.custom_vocabulary,
      ...(model === undefined ? {} : { model }),
      ...(eot_threshold === undefined ? {} : { eotThreshold: eot_threshold }),
      ...(eager_eot_threshold === undefined ? {} : { eagerEotThreshold: eager_eot_threshold }),
    },
  });
  const { voice } = agent;
  step.order({
    type: 'voice.open',
    options: {
      provider: voice.provider,
      name: voice.name,
      language: agent.language,
      speed: voice.speed,
      ...(voice.model === undefined ? {} : { model: voice.model }),
      ...(voice.instructions === undefined ? {} : { instructions: voice.instructions }),
      ...(agent.pronunciations.length === 0 ? {} : { pronunciations: agent.pronunciations }),
    },
  });
  step.startTimer('answer', ANSWER_MAX_MS);
  if (facts.direction === 'inbound') step.order({ type: 'call.answer' });
}

export function answered(step: Step): void {
  const { facts, agent } = step.context;
  step.change({ answeredUs: step.nowUs });
  step.stopTimer('answer');
  step.startTimer('max_duration', agent.max_call_duration * 1000);
  journalGiven(step);
  const startTime = new Date(facts.startedWallMs + step.nowUs / 1000).toISOString();
  setVariable(step, 'call_start_time', startTime, 'datetime');
  step.order({ type: 'journal.write', entry: { type: 'state', from: null, to: step.state.name, atUs: step.nowUs } });
  step.raise({ type: 'engine.talk' });
}

/** The machine has moved: the context follows it. */
export function enterState(step: Step, stateIndex: number, condition: string): void {
  const from = step.state.name;
  step.change({ stateIndex });
  writeTransition(step, from, step.state.name, condition);
}

/** Only the first reason stands. */
export function decideEnd(step: Step): void {
  const reason = endReason(step);
  if (reason !== null && step.context.endReason === null) step.change({ endReason: reason });
  if (step.event.type === 'control.ended') step.change({ legGoneUs: step.nowUs });
}

function endReason(step: Step): EndReason | null {
  const { event } = step;
  const answeredUs = step.context.answeredUs;
  switch (event.type) {
    case 'engine.end':
      return event.reason;
    case 'call.terminate':
      return answeredUs === null && event.reason === 'terminated' ? 'canceled' : event.reason;
    case 'control.ended':
      return LEG_END_REASONS[event.cause];
    case 'media.timeout':
      return 'no_media';
    case 'media.failed':
      return 'media_error';
    case 'timer':
      return event.timer === 'max_duration' ? 'max_duration' : 'sip_error';
    default:
      return null;
  }
}

/** `local_bye` that we did not order: the signalling gave the leg up by itself. */
const LEG_END_REASONS: Readonly<Record<LegEndCause, EndReason>> = {
  remote_bye: 'caller_hangup',
  local_bye: 'sip_error',
  remote_cancel: 'canceled',
  busy: 'busy',
  no_answer: 'no_answer',
  rejected: 'rejected',
  canceled: 'canceled',
  sip_error: 'sip_error',
};

/** The conversation is over; what was said of it is settled before the call is closed. */
export function windUp(step: Step): void {
  step.stopTimer('answer');
  step.stopTimer('max_duration');
  step.raise({ type: 'engine.over' });
}

/** The floor's part of it. */
export function fallSilent(step: Step): void {
  dropReply(step, 'end');
  abandonTools(step);
  for (const timer of ['endpoint', 'initial_message', 'dtmf', 'transfer']) step.stopTimer(timer);
  keepLastWords(step);
}

export function letGo(step: Step): void {
  if (step.context.legGoneUs === null) step.order({ type: 'call.hang_up' });
  step.startTimer('ending', ENDING_MAX_MS);
}

/** Nothing is waited for any more. */
export function isSettled({ legGoneUs, extraction }: CallContext): boolean {
  return legGoneUs !== null && extraction.running === null;
}

export function close(step: Step): void {
  const { legGoneUs, endReason: reason } = step.context;
  step.order({
    type: 'journal.write',
    entry: {
      type: 'ended',
      reason: reason ?? 'internal_error',
      metrics: callMetrics(step.context, step.moment.audioMs),
      atUs: legGoneUs ?? step.nowUs,
    },
  });
  step.order({ type: 'call.close' });
}

export function transcriberFailed(step: Step): void {
  if (step.event.type === 'transcriber.failed')
    step.log('warn', `the transcriber failed: ${describeProviderError(step.event.error)}`);
  if (step.context.answeredUs === null) step.raise({ type: 'engine.end', reason: 'transcriber_error' });
  else giveUp(step, 'transcriber_error');
}

/** Nothing is to be heard until the transfer is over; where it fails, the call cannot go on. */
export function transcriberFailedMeanwhile(step: Step): void {
  if (step.event.type !== 'transcriber.failed') return;
  step.log('warn', `the transcriber failed during a transfer: ${describeProviderError(step.event.error)}`);
  step.change({ ending: 'transcriber_error' });
}

export function takeNote(step: Step): void {
  if (step.event.type !== 'call.context') return;
  step.change({ notes: [...step.context.notes, step.event.content].slice(-NOTES_MAX) });
}
