import type { JsonValue } from '../agent/json-value.ts';
import type { EndReason } from '../ports/end-reason.ts';
import type { JournalEntry, TranscriptEntry } from '../ports/journal.ts';
import type { TapeEntry } from './tape-format.ts';

/** What a call has left behind, as far as people see it: `expected.json`. Times are engine time in whole ms. */
export interface CallOutcome {
  /** Null where the tape was dropped off before the call's end. */
  readonly endReason: EndReason | null;
  readonly durationMs: number;
  /** Who or what answered a call of ours, as last told; null where it was not. */
  readonly answerType: Extract<JournalEntry, { readonly type: 'answer_type' }>['answerType'] | null;
  /** The agent's states in the order gone through, the initial one first. */
  readonly states: readonly string[];
  readonly transcript: readonly OutcomeEntry[];
  /** Last values of those that the call itself has set, in the order first set. */
  readonly variables: readonly { readonly name: string; readonly value: JsonValue }[];
  readonly variablesResolved: boolean;
  readonly toolCalls: readonly { readonly name: string; readonly successful: boolean }[];
}

type Timed<E> = E extends unknown ? Omit<E, 'sequence' | 'startUs' | 'endUs'> & LineTimes : never;
interface LineTimes {
  readonly startMs: number;
  readonly endMs: number | null;
}
export type OutcomeEntry = Timed<TranscriptEntry>;

/** Gathers an outcome while a call goes on. Keeps nothing but what is told at the end. */
export class OutcomeCollector {
  #endReason: EndReason | null = null;
  #lastUs = 0;
  #answerType: CallOutcome['answerType'] = null;
  #variablesResolved = false;
  readonly #states: string[] = [];
  readonly #lines = new Map<number, TranscriptEntry>();
  readonly #variables = new Map<string, JsonValue>();
  readonly #toolCalls: { readonly name: string; readonly successful: boolean }[] = [];

  take({ atUs, commands }: Pick<TapeEntry, 'atUs' | 'commands'>): void {
    this.#lastUs = atUs;
    for (const command of commands) if (command.type === 'journal.write') this.#note(command.entry);
  }

  outcome(): CallOutcome {
    const lines = [...this.#lines.values()].toSorted((a, b) => a.startUs - b.startUs || a.sequence - b.sequence);
    return {
      endReason: this.#endReason,
      durationMs: Math.round(this.#lastUs / 1000),
      answerType: this.#answerType,
      states: this.#states,
      transcript: lines.map(toLine),
      variables: [...this.#variables].map(([name, value]) => ({ name, value })),
      variablesResolved: this.#variablesResolved,
      toolCalls: this.#toolCalls,
    };
  }

  #note(entry: JournalEntry): void {
    switch (entry.type) {
      case 'transcript':
        this.#lines.set(entry.entry.sequence, entry.entry);
        break;
      case 'variable':
        this.#variables.set(entry.name, entry.value);
        break;
      case 'variables_resolved':
        this.#variablesResolved = true;
        break;
      case 'state':
        this.#states.push(entry.to);
        break;
      case 'tool_called':
        this.#toolCalls.push({ name: entry.name, successful: entry.successful });
        break;
      case 'answer_type':
        this.#answerType = entry.answerType;
        break;
      case 'ended':
        this.#endReason = entry.reason;
        break;
      default:
        break;
    }
  }
}

/** The outcome that a tape holds. */
export function outcomeOf(entries: readonly TapeEntry[]): CallOutcome {
  const gatherer = new OutcomeCollector();
  for (const entry of entries) gatherer.take(entry);
  return gatherer.outcome();
}

function toLine(entry: TranscriptEntry): OutcomeEntry {
  const { sequence: _sequence, startUs, endUs, ...rest } = entry;
  return { ...rest, startMs: Math.round(startUs / 1000), endMs: endUs === null ? null : Math.round(endUs / 1000) };
}

/**
 * An outcome as lines that can be compared: what was said and done, in order, and how it ended. Times are left out: two
 * runs of one call differ in them by ms.
 */
export function outcomeLines({
  answerType,
  endReason,
  states,
  transcript,
  variables,
  toolCalls,
}: CallOutcome): readonly string[] {
  return [
    ...(answerType === null ? [] : [`answered by ${answerType}`]),
    ...transcript.map(told),
    ...states.map((state) => `state ${state}`),
    ...toolCalls.map(({ name, successful }) => `tool ${name} ${successful ? 'successful' : 'failed'}`),
    ...variables.map(({ name, value }) => `variable ${name} = ${JSON.stringify(value)}`),
    `end ${endReason ?? 'none'}`,
  ];
}

function told(line: OutcomeEntry): string {
  switch (line.role) {
    case 'agent':
      return `agent: ${line.content}${line.interrupted ? ' (interrupted)' : ''}`;
    case 'tool_call':
      return `tool call: ${line.name}(${JSON.stringify(line.arguments)})`;
    case 'tool_response':
      return `tool response: ${line.name}: ${line.content}`;
    case 'state_transition':
      return `transition: ${line.from} → ${line.to}`;
    case 'user':
    case 'dtmf':
      return `${line.role}: ${line.content}`;
  }
}
