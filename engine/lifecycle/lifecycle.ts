import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { openTranscriber } from '../failover/transcriber-failover.ts';
import { openVoice } from '../failover/voice-failover.ts';
import { callMetrics } from '../metrics/conversation-metrics.ts';
import { closeLastTurn } from '../metrics/record-turn.ts';
import { dropReply } from '../playout/drop-reply.ts';
import { failQueuedTransfer } from '../playout/queued-speech.ts';
import type { LegEndCause } from '../ports/call-control.ts';
import type { EndReason } from '../ports/end-reason.ts';
import { giveConsent, judgeSpokenConsent } from '../recording/recording-consent.ts';
import { endPause, followPause } from '../recording/recording-pause.ts';
import { abandonRunningTools } from '../tools/record-tool-result.ts';
import { writeTransition } from '../transcript/transcript.ts';
import { commitLastTurn } from '../turn-taking/answer-typed-entry.ts';
import { journalInitialVariables, setVariable } from '../variables/variables.ts';

/** Signalling reports an answer, a ring timeout or a failure long before this. */
const ANSWER_MS_MAX = 120_000;
/** Wait after our BYE for the end of the leg and for a running extraction. */
const ENDING_MS_MAX = 3_000;
/** Limit of a bridged call, to which the agent's `max_call_duration` no longer applies. */
const BRIDGED_MS_MAX = 4 * 3_600_000;
/** Notes for the model during a call; beyond this the oldest is dropped. */
const NOTES_MAX = 50;

/**
 * Opens transcriber and voice before the answer, so that they are ready for the first word. A call from an untrusted source gets
 * them with the answer: a flood of INVITEs opens no connections.
 */
export function prepareCall(step: RuleStep): void {
  // Audio may come before the event of the answer.
  followPause(step);
  if (!step.context.parameters.isSourceUntrusted) openProviders(step);
  step.startTimer('answer', ANSWER_MS_MAX);
  if (step.context.parameters.direction === 'inbound') step.command({ type: 'call.answer' });
}

/** Nothing is opened or spoken before `onAnswered`: the user may never have seen our 200. */
export function onAccepted(step: RuleStep): void {
  step.change({ isAccepted: true });
}

function openProviders(step: RuleStep): void {
  openTranscriber(step, 0);
  openVoice(step);
}

export function onAnswered(step: RuleStep): void {
  const { parameters, agent } = step.context;
  if (parameters.isSourceUntrusted) openProviders(step);
  step.change({ answeredUs: step.nowUs });
  step.stopTimer('answer');
  step.startTimer('max_duration', agent.max_call_duration * 1000);
  journalInitialVariables(step);
  const startTime = new Date(parameters.startedWallMs + step.nowUs / 1000).toISOString();
  setVariable(step, 'call_start_time', startTime, 'datetime');
  step.command({ type: 'journal.write', entry: { type: 'state', from: null, to: step.state.name, atUs: step.nowUs } });
  step.raise({ type: 'engine.answered' });
}

/** The state machine has moved to another state of the agent: the context follows. */
export function enterState(step: RuleStep, stateIndex: number, condition: string): void {
  const from = step.state.name;
  step.change({ stateIndex });
  writeTransition(step, from, step.state.name, condition);
  followPause(step);
}

/** Sets the end reason, unless the call has one already. */
export function setEndReason(step: RuleStep): void {
  const reason = endReason(step);
  if (reason !== null && step.context.endReason === null) step.change({ endReason: reason });
  if (step.event.type === 'control.ended') step.change({ legEndedUs: step.nowUs });
}

/** Keeps the failure of the media, unless a failure has decided the end of the call before. */
export function keepMediaFailure(step: RuleStep): void {
  const { event } = step;
  if (event.type === 'media.failed' && step.context.failure === null)
    step.change({ failure: { reason: 'media_error', detail: event.message } });
}

function endReason(step: RuleStep): EndReason | null {
  const { event } = step;
  const { answeredUs, isAccepted } = step.context;
  switch (event.type) {
    case 'engine.end':
      return event.reason;
    case 'call.terminate':
      return answeredUs === null && !isAccepted && event.reason === 'terminated' ? 'canceled' : event.reason;
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

/**
 * `local_bye`: the signalling ended the leg by itself. A BYE that the engine requested has set its end reason before.
 */
const LEG_END_REASONS: Readonly<Record<LegEndCause, EndReason>> = {
  remote_bye: 'caller_hangup',
  local_bye: 'sip_error',
  remote_cancel: 'canceled',
  busy: 'busy',
  no_answer: 'no_answer',
  rejected: 'rejected',
  redirected: 'redirected',
  canceled: 'canceled',
  sip_error: 'sip_error',
};

/** The user is bridged to another party. The transcript ends here; the call continues. */
export function onBridged(step: RuleStep): void {
  step.command({ type: 'transcriber.close' });
  step.command({ type: 'voice.close' });
  step.startTimer('max_duration', BRIDGED_MS_MAX);
  step.raise({ type: 'engine.conversation_over' });
}

/** Either party hung up: the call ends as `transferred`. */
export function onBridgedEnd(step: RuleStep): void {
  if (step.context.endReason === null) step.change({ endReason: 'transferred' });
  setEndReason(step);
}

/** The conversation is over. The call is closed once the leg has ended and no extraction runs. */
export function startEnding(step: RuleStep): void {
  step.stopTimer('answer');
  step.stopTimer('max_duration');
  step.raise({ type: 'engine.conversation_over' });
}

const CONVERSATION_TIMERS = ['endpoint', 'initial_message', 'dtmf_entry', 'transfer', 'transcriber'] as const;

/** Ends the conversation: drops the reply, abandons running tools and commits the user's last turn. */
export function stopConversation(step: RuleStep): void {
  // Dropping the reply commits the turn that it answers.
  judgeSpokenConsent(step);
  dropReply(step, 'end');
  abandonRunningTools(step);
  for (const timer of CONVERSATION_TIMERS) step.stopTimer(timer);
  commitLastTurn(step);
  failQueuedTransfer(step);
}

export function hangUpLeg(step: RuleStep): void {
  if (step.context.legEndedUs === null) step.command({ type: 'call.hang_up' });
  step.startTimer('call_end', ENDING_MS_MAX);
}

/** The call can be closed. */
export function canCloseCall({ legEndedUs, extraction }: CallContext): boolean {
  return legEndedUs !== null && extraction.running === null;
}

export function closeCall(step: RuleStep): void {
  closeLastTurn(step);
  // It may have been requested after the conversation.
  failQueuedTransfer(step);
  endPause(step);
  giveConsent(step);
  const { legEndedUs, endReason: reason, failure } = step.context;
  step.command({
    type: 'journal.write',
    entry: {
      type: 'ended',
      reason: reason ?? 'internal_error',
      ...(failure !== null && failure.reason === reason && { detail: failure.detail }),
      metrics: callMetrics(step.context, step.time.audioMs),
      atUs: legEndedUs ?? step.nowUs,
    },
  });
  step.command({ type: 'call.close' });
}

export function onContext(step: RuleStep): void {
  if (step.event.type === 'call.context') addNote(step, step.event.content);
}

/** The model sees the note from its next request on. */
export function addNote(step: RuleStep, note: string): void {
  step.change({ notes: [...step.context.notes, note].slice(-NOTES_MAX) });
}
