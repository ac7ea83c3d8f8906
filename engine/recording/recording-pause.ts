import type { RuleStep } from '../core/rule-step.ts';
import type { PauseEntry, RecordingSlice } from '../core/state/recording-slice.ts';

type Request = NonNullable<RecordingSlice['recordingPause']['request']>;

/** A request of the API. */
export function onPauseRequest(step: RuleStep): void {
  if (step.event.type === 'call.pause_recording') pauseRecording(step, 'api');
  if (step.event.type === 'call.resume_recording') resumeRecording(step);
}

export function pauseRecording(step: RuleStep, requestedBy: Request): void {
  const { recordingPause } = step.context;
  step.change({ recordingPause: { ...recordingPause, request: recordingPause.request ?? requestedBy } });
  followPause(step);
}

/** Ends the requested pause. False: the state of the agent pauses on. */
export function resumeRecording(step: RuleStep): boolean {
  step.change({ recordingPause: { ...step.context.recordingPause, request: null } });
  followPause(step);
  return step.context.recordingPause.entry === null;
}

/** A request or the state of the agent has changed: a pause begins or ends. */
export function followPause(step: RuleStep): void {
  const { entry, request } = step.context.recordingPause;
  const requestedBy = request ?? (step.state.pause_recording === true ? 'state' : null);
  if (requestedBy === null) endPause(step);
  else if (entry === null) {
    const begun: PauseEntry = { sequence: step.nextNumber('sequence'), startUs: step.nowUs, requestedBy };
    step.change({ recordingPause: { request, entry: begun } });
    writePause(step, begun, null);
  }
}

/** A pause in progress ends, also with the call. */
export function endPause(step: RuleStep): void {
  const { entry, request } = step.context.recordingPause;
  if (entry === null) return;
  step.change({ recordingPause: { request, entry: null } });
  writePause(step, entry, step.nowUs);
}

function writePause(step: RuleStep, pause: PauseEntry, endUs: number | null): void {
  const entry = { role: 'recording_pause' as const, ...pause, endUs, content: '' };
  step.command({ type: 'journal.write', entry: { type: 'transcript', entry } });
}
