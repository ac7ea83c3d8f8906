import type { InboxRecord } from '../core/event.ts';
import type { TranscriptEntry } from '../ports/journal.ts';
import type { TurnRecord } from '../ports/turn-record.ts';
import type { CallSpan } from './call-span.ts';
import { SpanCollector } from './span-collector.ts';
import type { TimelineInput } from './timeline-input.ts';

/** The input of a recorded call. A tape does not hold the loss of packets. */
export function tapeInput(
  records: readonly InboxRecord[],
): TimelineInput & { readonly transcript: readonly TranscriptEntry[] } {
  const collector = new SpanCollector();
  const spans: CallSpan[] = [];
  const turns = new Map<number, TurnRecord>();
  const transcript = new Map<number, TranscriptEntry>();
  let endedUs: number | null = null;
  for (const record of records) {
    spans.push(...collector.add(record));
    if (record.event.type === 'control.ended') endedUs = record.atUs;
    for (const command of record.commands) {
      if (command.type !== 'journal.write') continue;
      const { entry } = command;
      if (entry.type === 'turn') turns.set(entry.record.turn, entry.record);
      if (entry.type === 'transcript') transcript.set(entry.entry.sequence, entry.entry);
    }
  }
  return { spans, turns: [...turns.values()], transcript: [...transcript.values()], endedUs };
}
