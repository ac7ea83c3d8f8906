import type { CallContext } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { keepLastTurn } from '../dtmf/dtmf-entry.ts';
import { openTranscriber } from '../failover/transcriber-failover.ts';
import { openVoice } from '../failover/voice-failover.ts';
import { endEager } from '../generation/eager-generation.ts';
import { callMetrics } from '../metrics/call-metrics.ts';
import { dropReply } from '../playout/drop-reply.ts';
import type { LegEndCause } from '../ports/call-control.ts';
import type { EndReason } from '../ports/end-reason.ts';
import { abandonTools } from '../tools/tool-results.ts';
import { writeTransition } from '../transcript/transcript.ts';
import { journalGiven, setVariable } from '../variables/variables.ts';

/** Signalling answers, rings out or fails long before this. */
const ANSWER_MAX_MS = 120_000;
/** After our BYE, for the leg's end and for an extraction that still runs. */
const ENDING_MAX_MS = 3_000;
/** The agent's own limit ends with the agent's part; two people who talk to each other are only kept from doing so for ever. */
const BRIDGED_MAX_MS = 4 * 3_600_000;
/** What the API may tell the agent during a call; the oldest is dropped. */
const NOTES_MAX = 50;

/** Everything is opened ahead of the answer: the first word must find it ready. */
export function prepare(step: Step): void {
  openTranscriber(step, 0);
  openVoice(step);
  step.startTimer('answer', ANSWER_MAX_MS);
  if (step.context.facts.direction === 'inbound') step.order({ type: 'call.answer' });
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

/** The caller talks to somebody else over this call. The transcript ends here; the call goes on. */
export function beginBridged(step: Step): void {
  step.order({ type: 'transcriber.close' });
  step.order({ type: 'voice.close' });
  step.startTimer('max_duration', BRIDGED_MAX_MS);
  step.raise({ type: 'engine.over' });
}

/** Whoever of the two hung up: the agent's call was transferred. */
export function endBridged(step: Step): void {
  if (step.context.endReason === null) step.change({ endReason: 'transferred' });
  decideEnd(step);
}

/** The conversation is over; what was said of it is settled before the call is closed. */
export function windUp(step: Step): void {
  step.stopTimer('answer');
  step.stopTimer('max_duration');
  step.raise({ type: 'engine.over' });
}

/** The floor's part of it. */
export function fallSilent(step: Step): void {
  dropReply(step, 'end');
  endEager(step);
  abandonTools(step);
  for (const timer of ['endpoint', 'initial_message', 'dtmf', 'transfer', 'transcriber']) step.stopTimer(timer);
  keepLastTurn(step);
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
  const { legGoneUs, endReason: reason, gaveUp } = step.context;
  step.order({
    type: 'journal.write',
    entry: {
      type: 'ended',
      reason: reason ?? 'internal_error',
      ...(gaveUp !== null && gaveUp.reason === reason && { detail: gaveUp.detail }),
      metrics: callMetrics(step.context, step.moment.audioMs),
      atUs: legGoneUs ?? step.nowUs,
    },
  });
  step.order({ type: 'call.close' });
}

export function takeNote(step: Step): void {
  if (step.event.type !== 'call.context') return;
  step.change({ notes: [...step.context.notes, step.event.content].slice(-NOTES_MAX) });
}
