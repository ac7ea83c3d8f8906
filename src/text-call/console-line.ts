import type { TranscriptEntry } from '../../engine/ports/journal.ts';

/** Kind of a line, with its own label and colour. */
export type ConsoleLineKind = 'agent' | 'user' | 'digits' | 'state' | 'tool' | 'variable' | 'note' | 'end';

/** One thing that happened in a call, as a person reads it. */
export interface ConsoleLine {
  readonly kind: ConsoleLineKind;
  readonly text: string;
}

/** Characters shown of a function result. */
const CONTENT_SHOWN_MAX = 500;

/** An entry of the transcript in one line. */
export function consoleLineOf(entry: TranscriptEntry): ConsoleLine {
  switch (entry.role) {
    case 'agent':
      return { kind: 'agent', text: entry.interrupted ? `${entry.content} — cut off` : entry.content };
    case 'user':
      return { kind: 'user', text: entry.content };
    case 'dtmf':
      return { kind: 'digits', text: entry.content };
    case 'tool_call':
      return { kind: 'tool', text: `${entry.name} ${JSON.stringify(entry.arguments)}` };
    case 'tool_response': {
      const status = entry.httpStatus === undefined ? '' : `${entry.httpStatus} `;
      return { kind: 'tool', text: `→ ${entry.successful ? '' : 'failed: '}${status}${shortened(entry.content)}` };
    }
    case 'state_transition':
      return { kind: 'state', text: `${entry.from} → ${entry.to}` };
    case 'recording_pause':
      return { kind: 'note', text: `recording ${entry.endUs === null ? 'paused' : 'resumed'}` };
  }
}

function shortened(content: string): string {
  return content.length <= CONTENT_SHOWN_MAX ? content : `${content.slice(0, CONTENT_SHOWN_MAX)}…`;
}
