import { BUILT_IN_VARIABLES } from '../../../engine/agent/variable-schema.ts';
import type { JournalEntry, TranscriptEntry } from '../../../engine/ports/journal.ts';
import { consoleLineOf } from '../../text-call/console-line.ts';
import type { Screen } from '../text-call/screen.ts';

const BUILT_IN = new Set(BUILT_IN_VARIABLES.map(({ name }) => name));

/** Shows a call on the screen: agent speech sentence by sentence, everything else once. */
export class ChatNarrator {
  readonly #screen: Screen;
  /** The last agent line, which may still grow. */
  #line: { readonly sequence: number; readonly content: string } | null = null;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  readonly show = (entry: JournalEntry): void => {
    switch (entry.type) {
      case 'transcript':
        this.#showTranscript(entry.entry);
        break;
      case 'variable':
        // The user knows the variables they passed at the start.
        if (BUILT_IN.has(entry.name) || entry.initial === true) break;
        this.#screen.line('variable', `${entry.name} = ${JSON.stringify(entry.value)}`);
        break;
      case 'ended':
        this.#screen.line('end', entry.reason);
        break;
      case 'consent':
        if (entry.consent === 'not_asked') break;
        this.#screen.line('note', `recording ${entry.consent === 'given' ? 'accepted' : 'refused'}`);
        break;
      // The transcript contains them, too.
      case 'state':
      case 'tool_called':
      case 'variables_resolved':
      case 'turn':
        break;
    }
  };

  #showTranscript(entry: TranscriptEntry): void {
    // The user has just typed these.
    if (entry.role === 'user' || entry.role === 'dtmf') return;
    if (entry.role !== 'agent') {
      const { kind, text } = consoleLineOf(entry);
      this.#screen.line(kind, text);
      this.#line = null;
      return;
    }
    this.#showAgentEntry(entry);
  }

  #showAgentEntry({ sequence, content, interrupted }: Extract<TranscriptEntry, { readonly role: 'agent' }>): void {
    const before = this.#line?.sequence === sequence ? this.#line.content : null;
    if (interrupted) this.#screen.line('note', 'the agent was interrupted');
    else if (before !== null && content.startsWith(before)) this.#screen.append('agent', content.slice(before.length));
    else this.#screen.begin('agent', content);
    this.#line = { sequence, content };
  }
}
