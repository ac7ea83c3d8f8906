import type { TranscriptEntry } from '../generated/client.ts';

function field(entry: TranscriptEntry, name: string): string {
  const value: unknown = entry[name];
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}

/** An entry in one line. */
export function entryLabel(entry: TranscriptEntry): string {
  switch (entry.role) {
    case 'user':
    case 'agent':
      return entry.content;
    case 'dtmf':
      return `DTMF ${entry.content}`;
    case 'tool_call':
    case 'tool_response':
      return field(entry, 'name');
    case 'state_transition':
      return [field(entry, 'from'), field(entry, 'to')].filter((name) => name !== '').join(' → ');
    case 'recording_pause':
      return field(entry, 'requested_by');
  }
}

/** The details of an entry besides its line: the arguments or the result of a tool, the condition of a transition. */
export function entryDetail(entry: TranscriptEntry): string {
  switch (entry.role) {
    case 'tool_call':
      return field(entry, 'arguments');
    case 'tool_response':
      return entry.content;
    case 'state_transition':
      return field(entry, 'condition');
    default:
      return '';
  }
}
