import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { JournalEntry, TranscriptEntry } from '../../../engine/ports/journal.ts';
import {
  type DictatedPiece,
  findInPieces,
  findKnown,
  type KnownNumber,
  numbersIn,
  type RedactedSpan,
  redactedText,
} from '../../../engine/redaction/dictated-pieces.ts';
import type { EntitySearch } from '../../../engine/redaction/entity-search.ts';
import { findEntities } from '../../../engine/redaction/find-entities.ts';
import type { RedactionEntity } from '../../../engine/redaction/redaction-entity.ts';
import { SpokenTimes, spokenText } from './spoken-times.ts';

/** Entries of the user over which one number may be spread, since users pause while they dictate. */
const DICTATION_ENTRIES_MAX = 8;
/** Numbers of a call that are recognised again; beyond it the oldest is forgotten. */
const NUMBERS_MAX = 64;
/** Entries that repeat digits which may become a number; beyond it the oldest stays hidden. */
const WAITING_ENTRIES_MAX = 32;
/** Earlier entries of the user with digits that may become a number; beyond it the oldest stays hidden. */
const UNDECIDED_ENTRIES_MAX = 32;
/** Characters that are kept of the agent's words before an entry of the user: a question may name the number. */
const QUESTION_LENGTH_MAX = 200;

/** Numbers that are learnt from others than the user: their check digits are certain, without words that name them. */
const LEARNT: ReadonlySet<RedactionEntity> = new Set(['card', 'iban']);
/** Stands for what may become a number. */
const PROVISIONAL = '[number]';

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
  /** What was found in these words once stays hidden, also if the words around them are forgotten. */
  readonly found: FoundSpans;
}

interface FoundSpans {
  readonly content: readonly RedactedSpan[];
  readonly parts: readonly (readonly RedactedSpan[])[];
}

const NOTHING_FOUND: FoundSpans = { content: [], parts: [] };

/** An entry whose text repeats digits of an unfinished number, and its last written form. */
interface Waiting {
  readonly entry: Entry;
  readonly written: string;
}

/**
 * Redacts the entries and log lines of one call before they are stored. What may become a number is hidden too, until more words or the
 * end of the call decide. An entry whose text then turns out to be harmless, or to contain a number, is written again, like entries that
 * grow.
 */
export class CallRedactor {
  readonly #options: CallRedactorOptions;
  /** The latest entries of the user, by sequence. */
  readonly #dictation = new Map<number, Dictated>();
  /** Earlier entries of the user that were written with digits that may become a number. */
  readonly #undecided = new Map<number, Dictated>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #numbers = new Map<string, KnownNumber>();
  #undecidedNumbers: readonly string[] = [];
  /** In which the user has spoken. */
  readonly #languages = new Set<string>();
  #hasNewNumber = false;
  #question = '';
  /** The times of the redacted words. */
  readonly spoken = new SpokenTimes();

  constructor(options: CallRedactorOptions) {
    this.#options = options;
  }

  /** Returns the entries to write: this one and earlier ones that it changes. */
  write(entry: Entry): readonly Entry[] {
    if (entry.type !== 'transcript' || !isOfUser(entry.entry)) {
      this.#hasNewNumber = false;
      this.#learn(entry);
      const written = this.#repeating(entry);
      return this.#hasNewNumber ? [written, ...this.#settle(true)] : [written];
    }
    const { sequence } = entry.entry;
    const known = this.#dictation.get(sequence) ?? this.#undecided.get(sequence);
    const isSame = known !== undefined && haveSameTexts(known.entry, entry.entry);
    this.#undecided.delete(sequence);
    this.#dictation.set(sequence, {
      entry: entry.entry,
      question: known?.question ?? this.#question,
      written: null,
      found: isSame ? known.found : NOTHING_FOUND,
    });
    for (const [old, dictated] of this.#dictation) {
      if (this.#dictation.size <= DICTATION_ENTRIES_MAX) break;
      this.#dictation.delete(old);
      if (isProvisional(dictated)) this.#keepUndecided(old, dictated);
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

  #textOf(name: string, text: string): string {
    return redactedText(text, this.#spansIn(text, name));
  }

  /** A JSON value with all texts redacted, and numbers that are entities as texts. `name`: of the field that holds it. */
  #value(name: string, value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#textOf(name, value);
    if (typeof value === 'number') {
      const written = String(value);
      const redacted = this.#textOf(name, written);
      return redacted === written ? value : redacted;
    }
    if (Array.isArray(value)) return value.map((item) => this.#value(name, item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, this.#value(field, inner)]));
  }

  /** The agent, variables and tool calls may have a number whole that the user gave in pieces. */
  #learn(entry: Entry): void {
    for (const text of textsOfOthers(entry))
      for (const number of numbersIn(text, this.#search)) if (LEARNT.has(number.entity)) this.#remember(number);
  }

  /** `question`: words that may name a number of the text. */
  #spansIn(text: string, question = ''): readonly RedactedSpan[] {
    const undecided = this.#undecidedNumbers.map((characters) => ({ entity: 'number' as const, characters }));
    const known = findKnown(text, [...this.#numbers.values(), ...undecided]);
    return [...findEntities(text, { ...this.#search, questionAt: () => question }), ...known];
  }

  get #search(): EntitySearch {
    const followsCard = [...this.#numbers.values()].some(({ entity }) => entity === 'card');
    return { ...this.#options, languages: [...this.#languages], followsCard };
  }

  #settle(isOpen: boolean): readonly Entry[] {
    const dictation = [...this.#dictation.values()].toSorted((a, b) => a.entry.startUs - b.entry.startUs);
    const groups = [dictation, ...[...this.#undecided.values()].map((one) => [one])];
    const undecided = new Set<string>();
    const found = groups.map((group) => {
      const inGroup = findInPieces(group.map(pieceOf), this.#search, isOpen);
      for (const number of inGroup.numbers) this.#remember(number);
      for (const characters of inGroup.undecided) undecided.add(characters);
      for (const language of inGroup.languages) this.#languages.add(language);
      return inGroup.spans;
    });
    this.#undecidedNumbers = [...undecided];
    const changed = groups.flatMap((group, nth) =>
      group.flatMap((dictated, index) => {
        const spans = this.#spansOf(dictated.entry.content, found[nth]?.[index] ?? [], dictated.found.content);
        const pieces = group.map(pieceOf);
        const inParts = this.#spansOfParts(dictated, pieces.slice(0, index), pieces.slice(index + 1), isOpen);
        return this.#rewritten(dictated, spans, inParts);
      }),
    );
    const repeated = [...this.#waiting.values()].flatMap(({ entry, written }) => {
      const redacted = this.#repeating(entry);
      return JSON.stringify(redacted) === written ? [] : [redacted];
    });
    return [...changed, ...repeated];
  }

  /** `parts` split the content differently: each is redacted with the entries around it. */
  #spansOfParts(
    { entry, found, question }: Dictated,
    before: readonly DictatedPiece[],
    after: readonly DictatedPiece[],
    isOpen: boolean,
  ): FoundSpans['parts'] {
    if (entry.role !== 'user' || entry.parts === undefined) return [];
    const split = entry.parts.map(({ content }) => ({ content, question }));
    const { spans } = findInPieces([...before, ...split, ...after], this.#search, isOpen);
    return split.map(({ content }, nth) =>
      this.#spansOf(content, spans[before.length + nth] ?? [], found.parts[nth] ?? []),
    );
  }

  /** The entry with these spans, if it was not written so before. */
  #rewritten(dictated: Dictated, content: readonly RedactedSpan[], parts: FoundSpans['parts']): readonly Entry[] {
    const { entry, written } = dictated;
    this.spoken.ofUser(entry, content);
    if (!this.#dictation.has(entry.sequence)) this.spoken.judged(entry.sequence);
    const redacted = redactedEntry(entry, content, parts);
    const isWritten = written !== null && haveSameTexts(redacted, written);
    const found = { content: content.filter(isDecided), parts: parts.map((spans) => spans.filter(isDecided)) };
    const settled = { ...dictated, found, written: redacted };
    if (this.#dictation.has(entry.sequence)) this.#dictation.set(entry.sequence, settled);
    else if (isProvisional(settled)) this.#undecided.set(entry.sequence, settled);
    else this.#undecided.delete(entry.sequence);
    return isWritten ? [] : [{ type: 'transcript', entry: redacted }];
  }

  /** `before`: what was found in these words before. */
  #spansOf(text: string, found: readonly RedactedSpan[], before: readonly RedactedSpan[]): readonly RedactedSpan[] {
    return [...found.filter(isDecided), ...this.#knownIn(text), ...before, ...found.filter((span) => !isDecided(span))];
  }

  #knownIn(text: string): readonly RedactedSpan[] {
    return findKnown(text, [...this.#numbers.values()]);
  }

  /** An entry of another party, which may repeat what the user said. */
  #repeating(entry: Entry): Entry {
    const redacted = this.#redacted(entry);
    const key = keyOf(entry);
    if (key === null) return redacted;
    this.#waiting.delete(key);
    const written = JSON.stringify(redacted);
    if (this.#undecidedNumbers.length === 0 || !written.includes(PROVISIONAL)) return redacted;
    this.#waiting.set(key, { entry, written });
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > WAITING_ENTRIES_MAX && oldest !== undefined) this.#waiting.delete(oldest);
    return redacted;
  }

  #redacted(entry: Entry): Entry {
    switch (entry.type) {
      case 'transcript':
        return { type: 'transcript', entry: this.#redactedTranscript(entry.entry) };
      case 'variable':
        return { ...entry, value: this.#value(entry.name, entry.value) };
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
        const values = Object.entries(entry.arguments).map(
          ([name, value]) => [name, this.#value(name, value)] as const,
        );
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

  #remember(number: KnownNumber): void {
    if (!this.#numbers.has(number.characters)) this.#hasNewNumber = true;
    this.#numbers.set(number.characters, number);
    const [oldest] = this.#numbers.keys();
    if (this.#numbers.size > NUMBERS_MAX && oldest !== undefined) this.#numbers.delete(oldest);
  }

  #keepUndecided(sequence: number, dictated: Dictated): void {
    this.#undecided.set(sequence, dictated);
    this.spoken.judged(sequence);
    const [oldest] = this.#undecided.keys();
    if (this.#undecided.size > UNDECIDED_ENTRIES_MAX && oldest !== undefined) this.#undecided.delete(oldest);
  }
}

function pieceOf({ entry, question }: Dictated): DictatedPiece {
  return { content: entry.content, question };
}

function isDecided({ entity }: RedactedSpan): boolean {
  return entity !== 'number';
}

/** Whether the written form hides what may become a number. */
function isProvisional({ written }: Dictated): boolean {
  return written !== null && textsOf(written).some((text) => text.includes(PROVISIONAL));
}

/** The texts of the agent, the model and its tool calls. */
function textsOfOthers(entry: Entry): readonly string[] {
  if (entry.type === 'variable') return textsIn(entry.value);
  if (entry.type !== 'transcript') return [];
  if (entry.entry.role === 'tool_call') return textsIn(entry.entry.arguments);
  return entry.entry.role === 'agent' ? [entry.entry.content, entry.entry.generatedContent ?? ''] : [];
}

/** The texts and numbers of a JSON value. */
function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function redactedEntry(entry: UserEntry, content: readonly RedactedSpan[], inParts: FoundSpans['parts']): UserEntry {
  const stored = { ...withoutTimes(entry), content: redactedText(entry.content, content) };
  if (stored.role !== 'user' || stored.parts === undefined) return stored;
  const parts = stored.parts.map((part, nth) => ({ ...part, content: redactedText(part.content, inParts[nth] ?? []) }));
  return { ...stored, parts };
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
