import type { JsonValue } from '../agent/json-value.ts';
import type { EndReason } from '../ports/end-reason.ts';
import type { JournalEntry, TranscriptEntry } from '../ports/journal.ts';
import type { TapeEntry } from './tape-format.ts';

/** The visible result of a call: the content of `expected.json`. Times are engine time in whole ms. */
export interface CallOutcome {
  /** Null if the tape stops before the end of the call. */
  readonly endReason: EndReason | null;
  readonly durationMs: number;
  /** The last answer type of an outbound call; null without one. */
  readonly answerType: Extract<JournalEntry, { readonly type: 'answer_type' }>['answerType'] | null;
  /** The agent's states in the order in which the call entered them, the initial one first. */
  readonly states: readonly string[];
  readonly transcript: readonly OutcomeEntry[];
  /** Last values of the variables that were set during the call, in the order of their first assignment. */
  readonly variables: readonly { readonly name: string; readonly value: JsonValue }[];
  readonly variablesResolved: boolean;
  readonly toolCalls: readonly { readonly name: string; readonly successful: boolean }[];
}

type Timed<E> = E extends unknown ? Omit<E, 'sequence' | 'startUs' | 'endUs' | 'parts'> & EntryTimes : never;
interface EntryTimes {
  readonly startMs: number;
  readonly endMs: number | null;
}
export type OutcomeEntry = Timed<TranscriptEntry>;

/** Collects the outcome during a call. */
export class OutcomeCollector {
  #endReason: EndReason | null = null;
  #lastUs = 0;
  #answerType: CallOutcome['answerType'] = null;
  #variablesResolved = false;
  readonly #states: string[] = [];
  readonly #transcript = new Map<number, TranscriptEntry>();
  readonly #variables = new Map<string, JsonValue>();
  readonly #toolCalls: { readonly name: string; readonly successful: boolean }[] = [];

  add({ atUs, commands }: Pick<TapeEntry, 'atUs' | 'commands'>): void {
    this.#lastUs = atUs;
    for (const command of commands) if (command.type === 'journal.write') this.#record(command.entry);
  }

  outcome(): CallOutcome {
    const entries = [...this.#transcript.values()].toSorted((a, b) => a.startUs - b.startUs || a.sequence - b.sequence);
    return {
      endReason: this.#endReason,
      durationMs: Math.round(this.#lastUs / 1000),
      answerType: this.#answerType,
      states: this.#states,
      transcript: entries.map(toOutcomeEntry),
      variables: [...this.#variables].map(([name, value]) => ({ name, value })),
      variablesResolved: this.#variablesResolved,
      toolCalls: this.#toolCalls,
    };
  }

  #record(entry: JournalEntry): void {
    switch (entry.type) {
      case 'transcript':
        this.#transcript.set(entry.entry.sequence, entry.entry);
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

/** The outcome of a recorded call. */
export function outcomeOf(entries: readonly TapeEntry[]): CallOutcome {
  const collector = new OutcomeCollector();
  for (const entry of entries) collector.add(entry);
  return collector.outcome();
}

/** Earlier tapes know no parts of a turn. */
function toOutcomeEntry(entry: TranscriptEntry): OutcomeEntry {
  const { sequence: _sequence, startUs, endUs, parts: _parts, ...rest } = { parts: undefined, ...entry };
  return { ...rest, startMs: Math.round(startUs / 1000), endMs: endUs === null ? null : Math.round(endUs / 1000) };
}

/**
 * An outcome as lines of text for a comparison: transcript, states, tool calls, variables, end. Without times, which differ
 * by some ms between two runs of a call.
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
    ...transcript.map(entryText),
    ...states.map((state) => `state ${state}`),
    ...toolCalls.map(({ name, successful }) => `tool ${name} ${successful ? 'successful' : 'failed'}`),
    ...variables.map(({ name, value }) => `variable ${name} = ${JSON.stringify(value)}`),
    `end ${endReason ?? 'none'}`,
  ];
}

function entryText(entry: OutcomeEntry): string {
  switch (entry.role) {
    case 'agent':
      return `agent: ${entry.content}${entry.interrupted ? ' (interrupted)' : ''}`;
    case 'tool_call':
      return `tool call: ${entry.name}(${JSON.stringify(entry.arguments)})`;
    case 'tool_response':
      return `tool response: ${entry.name}: ${entry.content}`;
    case 'state_transition':
      return `transition: ${entry.from} → ${entry.to}`;
    case 'user':
    case 'dtmf':
      return `${entry.role}: ${entry.content}`;
    case 'recording_pause':
      return `recording paused by: ${entry.requestedBy}`;
  }
}
