import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { JournalEntry, TranscriptEntry, TranscriptPart } from '../../../engine/ports/journal.ts';
import {
  findInPieces,
  findKnown,
  type KnownNumber,
  type RedactedSpan,
  redactedText,
} from '../../../engine/redaction/dictated-pieces.ts';
import { findEntities } from '../../../engine/redaction/find-entities.ts';
import type { RedactionEntity } from '../../../engine/redaction/redaction-entity.ts';
import { SpokenTimes, spokenText } from './spoken-times.ts';

/** Entries of the user over which one number may be spread, since users pause while they dictate. */
const DICTATION_ENTRIES_MAX = 8;
/** Numbers of a call that are recognised again; beyond it the oldest is forgotten. */
const NUMBERS_MAX = 64;
/** Entries that repeat digits which may become a number; beyond it the oldest stays hidden. */
const WAITING_ENTRIES_MAX = 32;
/** Characters that are kept of the agent's words before an entry of the user: a question may name the number. */
const QUESTION_LENGTH_MAX = 200;

type Entry = Exclude<JournalEntry, { readonly type: 'ended' }>;
type UserEntry = Extract<TranscriptEntry, { readonly role: 'user' | 'dtmf' }>;

export interface CallRedactorOptions {
  readonly entities: readonly RedactionEntity[];
  /** BCP 47, of the agent. */
  readonly language: string;
}

/** An entry of the user with its true text. */
interface Dictated {
  readonly entry: UserEntry;
  /** The words of the agent before it. */
  readonly question: string;
  /** The last written form; null: this version of the entry was not written. */
  readonly written: UserEntry | null;
}

/** An entry whose text repeats digits of an unfinished number, and its last written form. */
interface Waiting {
  readonly entry: Entry;
  readonly written: string;
}

/**
 * Redacts the entries and log lines of one call before they are stored. Digits at the end of the user's words are hidden too, until more
 * words decide whether they are a number: text is stored only once it certainly contains no number. An entry whose text then turns out to
 * be harmless, or to contain a number, is written again, like entries that grow.
 */
export class CallRedactor {
  readonly #options: CallRedactorOptions;
  /** The latest entries of the user, by sequence. */
  readonly #dictation = new Map<number, Dictated>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #numbers = new Map<string, KnownNumber>();
  #openDigits: string | null = null;
  #question = '';
  /** The times of the redacted words. */
  readonly spoken = new SpokenTimes();

  constructor(options: CallRedactorOptions) {
    this.#options = options;
  }

  /** Returns the entries to write: this one and earlier ones that it changes. */
  write(entry: Entry): readonly Entry[] {
    if (entry.type !== 'transcript' || !isOfUser(entry.entry)) return [this.#repeating(entry)];
    const { sequence } = entry.entry;
    const known = this.#dictation.get(sequence);
    this.#dictation.set(sequence, { entry: entry.entry, question: known?.question ?? this.#question, written: null });
    for (const old of this.#dictation.keys()) {
      if (this.#dictation.size <= DICTATION_ENTRIES_MAX) break;
      this.#dictation.delete(old);
    }
    return this.#settle(true);
  }

  /** The call is over and no digits follow. Returns the entries to write. */
  end(): readonly Entry[] {
    return this.#settle(false);
  }

  /** A text of a log line or an error. */
  text(text: string): string {
    return redactedText(text, this.#spansIn(text));
  }

  /** A JSON value with all texts redacted, and numbers that are entities as texts. */
  value(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') {
      const written = String(value);
      const redacted = this.text(written);
      return redacted === written ? value : redacted;
    }
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.value(field)]));
  }

  #spansIn(text: string): readonly RedactedSpan[] {
    const { entities, language } = this.#options;
    const known = findKnown(text, [...this.#numbers.values(), ...this.#open()], language);
    return [...findEntities(text, { entities, language }), ...known];
  }

  #settle(isOpen: boolean): readonly Entry[] {
    const dictation = [...this.#dictation.values()].toSorted((a, b) => a.entry.startUs - b.entry.startUs);
    const contents = dictation.map(({ entry }) => entry.content);
    const lastQuestion = dictation.at(-1)?.question ?? '';
    const found = this.#find(contents, lastQuestion, isOpen);
    this.#openDigits = found.open;
    for (const number of found.numbers) this.#remember(number);
    const changed = dictation.flatMap(({ entry, question, written }, index) => {
      const spans = [...(found.spans[index] ?? []), ...this.#knownIn(entry.content)];
      this.spoken.ofUser(entry, spans);
      const content = redactedText(entry.content, spans);
      const parts = this.#redactedParts(
        entry,
        contents.slice(0, index),
        contents.slice(index + 1),
        lastQuestion,
        isOpen,
      );
      const redacted = { ...withoutTimes(entry), content, ...(parts !== undefined && { parts }) };
      if (written !== null && haveSameTexts(redacted, written)) return [];
      this.#dictation.set(entry.sequence, { entry, question, written: redacted });
      return [{ type: 'transcript' as const, entry: redacted }];
    });
    const repeated = [...this.#waiting.values()].flatMap(({ entry, written }) => {
      const redacted = this.#repeating(entry);
      return JSON.stringify(redacted) === written ? [] : [redacted];
    });
    return [...changed, ...repeated];
  }

  /** `parts` split the content differently: each is redacted with the entries around it. */
  #redactedParts(
    entry: UserEntry,
    before: readonly string[],
    after: readonly string[],
    lastQuestion: string,
    isOpen: boolean,
  ): readonly TranscriptPart[] | undefined {
    if (entry.role !== 'user' || entry.parts === undefined) return undefined;
    const pieces = [...before, ...entry.parts.map((part) => part.content), ...after];
    const found = this.#find(pieces, lastQuestion, isOpen);
    return entry.parts.map((part, index) => ({
      ...part,
      content: this.#textWith(part.content, found.spans[before.length + index] ?? []),
    }));
  }

  #find(pieces: readonly string[], question: string, isOpen: boolean) {
    const { entities, language } = this.#options;
    return findInPieces(pieces, { entities, language, before: question }, isOpen);
  }

  #textWith(text: string, spans: readonly RedactedSpan[]): string {
    return redactedText(text, [...spans, ...this.#knownIn(text)]);
  }

  #knownIn(text: string): readonly RedactedSpan[] {
    return findKnown(text, [...this.#numbers.values()], this.#options.language);
  }

  /** An entry of another party, which may repeat what the user said. */
  #repeating(entry: Entry): Entry {
    const redacted = this.#redacted(entry);
    const key = keyOf(entry);
    if (key === null) return redacted;
    this.#waiting.delete(key);
    const isProvisional = this.#openDigits !== null && JSON.stringify(redacted).includes('[number]');
    if (!isProvisional) return redacted;
    this.#waiting.set(key, { entry, written: JSON.stringify(redacted) });
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > WAITING_ENTRIES_MAX && oldest !== undefined) this.#waiting.delete(oldest);
    return redacted;
  }

  #redacted(entry: Entry): Entry {
    switch (entry.type) {
      case 'transcript':
        return { type: 'transcript', entry: this.#redactedTranscript(entry.entry) };
      case 'variable':
        return { ...entry, value: this.value(entry.value) };
      case 'transfer':
        return { ...entry, ...(entry.reason !== undefined && { reason: this.text(entry.reason) }) };
      case 'variables_resolved':
      case 'state':
      case 'tool_called':
      case 'answer_type':
      case 'consent':
      case 'turn':
        return entry;
    }
  }

  #redactedTranscript(entry: TranscriptEntry): TranscriptEntry {
    const content = this.text(entry.content);
    switch (entry.role) {
      case 'agent': {
        this.#question = entry.content.slice(-QUESTION_LENGTH_MAX);
        const { generatedContent, spoken = [], ...stored } = entry;
        this.spoken.ofAgent(entry, this.#spansIn(spokenText(spoken)));
        return {
          ...stored,
          content,
          ...(generatedContent !== undefined && { generatedContent: this.text(generatedContent) }),
        };
      }
      case 'tool_call': {
        const values = Object.entries(entry.arguments).map(([name, value]) => [name, this.value(value)] as const);
        return { ...entry, content, arguments: Object.fromEntries(values) };
      }
      case 'user':
      case 'dtmf':
      case 'tool_response':
      case 'state_transition':
        return { ...entry, content };
      case 'recording_pause':
        return entry;
    }
  }

  #open(): readonly { readonly entity: 'number'; readonly characters: string }[] {
    return this.#openDigits === null ? [] : [{ entity: 'number', characters: this.#openDigits }];
  }

  #remember(number: KnownNumber): void {
    if (number.characters === '') return;
    this.#numbers.set(number.characters, number);
    const [oldest] = this.#numbers.keys();
    if (this.#numbers.size > NUMBERS_MAX && oldest !== undefined) this.#numbers.delete(oldest);
  }
}

/** The entry as it is stored. */
function withoutTimes(entry: UserEntry): UserEntry {
  if (entry.role === 'dtmf') return entry;
  const { spoken: _spoken, ...stored } = entry;
  return stored;
}

function isOfUser(entry: TranscriptEntry): entry is UserEntry {
  return entry.role === 'user' || entry.role === 'dtmf';
}

function haveSameTexts(entry: UserEntry, other: UserEntry): boolean {
  return textsOf(entry).join('\n') === textsOf(other).join('\n');
}

function textsOf(entry: UserEntry): readonly string[] {
  const parts = entry.role === 'user' ? (entry.parts ?? []) : [];
  return [entry.content, ...parts.map((part) => part.content)];
}

/** The key under which a later form of the entry replaces it; null: it is written once. */
function keyOf(entry: Entry): string | null {
  if (entry.type === 'transcript') return `entry ${entry.entry.sequence}`;
  return entry.type === 'variable' ? `variable ${entry.name}` : null;
}
