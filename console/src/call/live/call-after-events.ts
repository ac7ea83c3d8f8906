import type { ReceivedEvent } from '../../api/sent-events.ts';
import type { Call, TranscriptEntry } from '../../generated/client.ts';

/** The body of an `event_transcript_updated`. */
interface TranscriptUpdate {
  readonly data: { readonly entry: TranscriptEntry };
}

/** The call with the transcript entries of its events. An entry with a known number replaces the earlier one. */
export function callAfterEvents<Transcribed extends Pick<Call, 'transcript'>>(
  call: Transcribed,
  events: readonly ReceivedEvent[],
): Transcribed {
  const updates = events.filter(({ type }) => type === 'event_transcript_updated');
  if (updates.length === 0) return call;
  const entries = new Map(call.transcript.map((entry) => [entry.sequence, entry]));
  for (const { data: body } of updates) {
    const { data }: TranscriptUpdate = JSON.parse(body);
    entries.set(data.entry.sequence, data.entry);
  }
  return { ...call, transcript: [...entries.values()].toSorted(inTranscriptOrder) };
}

/** As the API orders them. */
function inTranscriptOrder(a: TranscriptEntry, b: TranscriptEntry): number {
  return Date.parse(a.start_time) - Date.parse(b.start_time) || a.sequence - b.sequence;
}
