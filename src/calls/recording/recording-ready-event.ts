import { randomUUID } from 'node:crypto';
import type { RecordingOutcome } from '../../../sip/recorder/recording-outcome.ts';
import { recordingPauses, type TranscriptRecord } from '../../storage/calls/transcript-record.ts';
import type { WebhookEventDraft } from '../../storage/events/webhook-event.ts';

export interface ReadyRecording extends Pick<RecordingOutcome, 'complete' | 'durationMs'> {
  /** The transcript of its call; other entries than pauses are ignored. */
  readonly transcript: readonly TranscriptRecord[];
}

/** The event for a recording that is on the disk. Its id is fixed here, because a write that is retried must store one event. */
export function recordingReady(
  { complete, durationMs, transcript }: ReadyRecording,
  url: string,
  atMs: number,
): WebhookEventDraft {
  return {
    id: randomUUID(),
    type: 'event_recording_ready',
    data: {
      recording_url: url,
      duration_seconds: durationMs / 1_000,
      complete,
      pauses: recordingPauses(transcript),
    },
    atMs,
  };
}
