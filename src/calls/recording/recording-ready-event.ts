import { randomUUID } from 'node:crypto';
import type { RecordingOutcome } from '../../../sip/recorder/recording-outcome.ts';
import type { WebhookEventDraft } from '../../storage/events/webhook-event.ts';

/** The event for a recording that is on the disk. Its id is fixed here, because a write that is retried must store one event. */
export function recordingReady(
  { complete, durationMs }: Pick<RecordingOutcome, 'complete' | 'durationMs'>,
  url: string,
  atMs: number,
): WebhookEventDraft {
  return {
    id: randomUUID(),
    type: 'event_recording_ready',
    data: { recording_url: url, duration_seconds: durationMs / 1_000, complete },
    atMs,
  };
}
