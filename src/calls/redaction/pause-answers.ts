import type { CallEvent, InboxRecord } from '../../../engine/core/event.ts';

/**
 * Tells which answers of providers and tools were requested during a pause of the recording: an answer that arrives after the pause may
 * hold what was said in it. Numbers rise, so the highest number of each kind is enough.
 */
export class PauseAnswers {
  #isPaused = false;
  #generation = 0;
  #extraction = 0;
  #summary = 0;
  #segment = 0;
  readonly #toolCalls = new Set<string>();

  /** After the records that were followed. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Whether the event answers a request of a pause that was followed. */
  isAnswer(event: CallEvent): boolean {
    if ('generation' in event) return event.generation <= this.#generation;
    if ('extraction' in event) return event.extraction <= this.#extraction;
    if ('summary' in event) return event.summary <= this.#summary;
    if ('toolCallId' in event) return this.#toolCalls.has(event.toolCallId);
    return event.type.startsWith('voice.') && 'segment' in event && this.isSegment(event.segment);
  }

  isSegment(segment: number): boolean {
    return segment <= this.#segment;
  }

  /** Call it for every record, before its commands are carried out. */
  follow({ commands }: Pick<InboxRecord, 'commands'>): void {
    for (const command of commands) {
      switch (command.type) {
        case 'journal.write': {
          const { entry } = command;
          if (entry.type !== 'transcript' || entry.entry.role !== 'recording_pause') break;
          this.#isPaused = entry.entry.endUs === null;
          break;
        }
        case 'model.request':
          if (this.#isPaused) this.#generation = command.generation;
          break;
        case 'extraction.request':
          if (this.#isPaused) this.#extraction = command.extraction;
          break;
        case 'summary.request':
          if (this.#isPaused) this.#summary = command.summary;
          break;
        case 'voice.speak':
          if (this.#isPaused) this.#segment = command.segment;
          break;
        case 'tool.run':
        case 'knowledge.search':
          if (this.#isPaused) this.#toolCalls.add(command.toolCallId);
          break;
        default:
          break;
      }
    }
  }
}
