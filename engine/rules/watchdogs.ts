import type { CallContext, Segment } from '../call/call-context.ts';
import type { Step } from '../call/step.ts';

/** A model that has said nothing after this has failed; providers answer in 0.3–3 s. */
const MODEL_FIRST_TOKEN_MAX_MS = 10_000;
/** Nor does a stream pause for so long and go on. */
const MODEL_STALL_MAX_MS = 10_000;
/** A voice gives its first audio in 0.1–1 s. */
const VOICE_FIRST_AUDIO_MAX_MS = 8_000;
/** From the voice's first audio to the wire, and past the end of a segment: the playout is silent no longer. */
const PLAYOUT_SLACK_MS = 1_000;
/** No voice speaks a character for longer than this, with the pauses of its sentence. */
const CHARACTER_MAX_MS = 200;
const SEGMENT_LEAST_MS = 5_000;

export function watchModel(step: Step): void {
  const begun = step.context.reply?.generation?.firstTokenUs != null;
  step.startTimer('model', begun ? MODEL_STALL_MAX_MS : MODEL_FIRST_TOKEN_MAX_MS);
}

/** The segment that the voice is at: it speaks them one after another. */
export function voicedNext({ reply }: CallContext): Segment | undefined {
  return reply?.segments.find((segment) => segment.durationMs === null && !segment.ended);
}

/** The voice owes the first audio of a segment. One that it has begun is the playout's to watch. */
export function watchVoice(step: Step): void {
  if (voicedNext(step.context)?.voiceStartedUs === null) step.startTimer('voice', VOICE_FIRST_AUDIO_MAX_MS);
  else step.stopTimer('voice');
}

/** The wire owes the start or the end of a segment whose audio is there; while the call is on hold it owes nothing. */
export function watchPlayout(step: Step): void {
  const due = step.context.reply?.segments.find((segment) => segment.voiceStartedUs !== null && !segment.ended);
  if (due === undefined || step.context.heldUs !== null) {
    step.stopTimer('playout');
    return;
  }
  if (due.wire === null) {
    step.startTimer('playout', PLAYOUT_SLACK_MS);
    return;
  }
  const playedMs = (step.nowUs - due.wire.startedUs) / 1000;
  const lengthMs = due.durationMs ?? SEGMENT_LEAST_MS + due.text.length * CHARACTER_MAX_MS;
  step.startTimer('playout', Math.ceil(Math.max(0, lengthMs - playedMs) + PLAYOUT_SLACK_MS));
}

export function stopWatching(step: Step): void {
  for (const timer of ['model', 'voice', 'playout', 'interruption']) step.stopTimer(timer);
}
