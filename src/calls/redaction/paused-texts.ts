import type { JsonValue } from '../../../engine/agent/json-value.ts';
import { BUILT_IN_VARIABLES } from '../../../engine/agent/variable-schema.ts';
import type { InboxRecord } from '../../../engine/core/event.ts';
import { LANGUAGE_TAGS } from '../../../engine/languages/language-packs.ts';
import { type JournalEntry, NOT_RECORDED, type TranscriptEntry } from '../../../engine/ports/journal.ts';
import { findKnown, redactedText } from '../../../engine/redaction/dictated-pieces.ts';
import { spokenCharacters } from '../../../engine/redaction/spoken-characters.ts';
import { PauseAnswers } from './pause-answers.ts';

/** Words that the transcriber reports without the user's voice activity begin when they arrive: this long after they were said, in µs. */
const LATE_WORDS_US = 1_000_000;
/** Entries before a pause that may grow during it: one of each party, and those that a correction changes. */
const EARLIER_MAX = 8;
/** Entries of the user whose numbers are recognised again; beyond it the oldest is forgotten. */
const SAID_MAX = 64;
/** A shorter value is everyday speech. A card's security code has three digits. */
const VALUE_LENGTH_MIN = 3;
const BUILT_IN = new Set(BUILT_IN_VARIABLES.map(({ name }) => name));

type Entry = Exclude<JournalEntry, { readonly type: 'ended' }>;
/** What the user gave in pauses. */
interface GivenInPauses {
  /** Letters and digits, the entries separated by spaces. */
  readonly words: string;
  /** All digits and letters that were spelled, in each language: a number may be given in several breaths, and in any language. */
  readonly numbers: readonly { readonly entity: 'number'; readonly characters: string }[];
}

type PauseEntry = Extract<TranscriptEntry, { readonly role: 'recording_pause' }>;

/**
 * Hides what was said, typed and found out while the recording was paused, or after the user has refused to be recorded. There is one for
 * each call, before its journal and its log. The entries stay, with their times. After the pause, numbers that were given in it are
 * recognised again.
 */
export class PausedTexts {
  readonly #answers = new PauseAnswers();
  readonly #pauses = new Map<number, PauseEntry>();
  /** Texts of the latest entries that were kept, by sequence. */
  readonly #earlier = new Map<number, string>();
  /** What was hidden: it may be written again by those who know its text. */
  readonly #hidden = new Set<string>();
  /** Words of the user in a pause, by sequence. */
  readonly #said = new Map<number, string>();
  /** What is compared with later texts; null: `#said` has changed since. */
  #given: GivenInPauses | null = null;
  #isAnswer = false;
  /** The user has refused to be recorded: nothing more is kept. */
  #isRefused = false;

  /** Call it for every record, before its journal entries are written. */
  follow(record: Pick<InboxRecord, 'commands' | 'event'>): void {
    this.#isAnswer = this.#answers.isAnswer(record.event);
    this.#answers.follow(record);
  }

  /**
   * @param entry as the engine writes it; null: the call is over
   * @param redacted the entry and earlier ones, as they would be kept without a pause
   */
  write(entry: Entry | null, redacted: readonly Entry[]): readonly Entry[] {
    if (entry !== null) this.#judge(entry);
    if (this.#isRefused) return redacted.map((one) => (one.type === 'variable' && isGiven(one) ? one : hidden(one)));
    return redacted.map((one) => {
      const key = keyOf(one);
      if (key !== null && this.#hidden.has(key)) return hidden(one);
      return this.#isPaused && key === null ? hidden(one) : this.#withoutNumbers(one);
    });
  }

  /** A text of a log line or an error. */
  text(text: string): string {
    return this.#isRefused || this.#isPaused || this.#isAnswer ? NOT_RECORDED : this.#known(text);
  }

  get #isPaused(): boolean {
    return [...this.#pauses.values()].at(-1)?.endUs === null;
  }

  #judge(entry: Entry): void {
    switch (entry.type) {
      case 'consent':
        if (entry.consent === 'refused') this.#isRefused = entry.keepsTranscript !== true;
        return;
      case 'variable':
        this.#hide(`variable ${entry.name}`, !isGiven(entry) && this.#isOfPause(entry.value));
        return;
      case 'transcript':
        this.#judgeTranscript(entry.entry);
        return;
      default:
        return;
    }
  }

  #judgeTranscript(entry: TranscriptEntry): void {
    const { sequence } = entry;
    if (entry.role === 'recording_pause') {
      this.#pauses.set(sequence, entry);
      return;
    }
    const isHidden = this.#isHidden(entry);
    const isOfUser = entry.role === 'user' || entry.role === 'dtmf';
    const isSpeech = isOfUser || entry.role === 'agent';
    // The result of a tool that is corrected after the pause still belongs to it.
    if (isHidden || isSpeech) this.#hide(`entry ${sequence}`, isHidden);
    if (isHidden && isOfUser) {
      remember(this.#said, entry, SAID_MAX);
      this.#given = null;
    }
    if (!isHidden && isSpeech) remember(this.#earlier, entry, EARLIER_MAX);
  }

  #hide(key: string, isHidden: boolean): void {
    if (isHidden) this.#hidden.add(key);
    else this.#hidden.delete(key);
  }

  #isHidden(entry: Exclude<TranscriptEntry, PauseEntry>): boolean {
    switch (entry.role) {
      case 'state_transition':
        return false;
      case 'tool_call':
        return this.#isPaused || this.#isAnswer || Object.values(entry.arguments).some((value) => this.#wasSaid(value));
      case 'tool_response':
        return this.#isPaused || this.#isAnswer;
      case 'user':
      case 'agent':
      case 'dtmf': {
        // Nothing was added to what was said before the pause.
        if (this.#earlier.get(entry.sequence)?.startsWith(entry.content) === true) return false;
        return [...this.#pauses.values()].some((pause) => touches(entry, pause));
      }
    }
  }

  #isOfPause(value: JsonValue): boolean {
    return this.#isPaused || this.#isAnswer || this.#wasSaid(value);
  }

  /** Whether a value found after a pause is one that the user gave in it. */
  #wasSaid(value: JsonValue): boolean {
    if (this.#said.size === 0) return false;
    if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value);
      if (this.#known(text) !== text) return true;
      const plain = plainText(text);
      const { numbers, words } = this.#givenInPauses();
      const isGivenNumber = numbers.some(({ characters }) => characters.includes(plain.toUpperCase()));
      return plain.length >= VALUE_LENGTH_MIN && (words.includes(plain) || isGivenNumber);
    }
    if (typeof value !== 'object' || value === null) return false;
    return Object.values(value).some((one) => this.#wasSaid(one));
  }

  #givenInPauses(): GivenInPauses {
    this.#given ??= givenIn([...this.#said.values()]);
    return this.#given;
  }

  #known(text: string): string {
    if (this.#said.size === 0) return text;
    return redactedText(text, findKnown(text, this.#givenInPauses().numbers));
  }

  #withoutNumbers(entry: Entry): Entry {
    if (this.#said.size === 0) return entry;
    if (entry.type === 'transcript') return { ...entry, entry: this.#transcriptWithoutNumbers(entry.entry) };
    if (entry.type === 'transfer' && entry.reason !== undefined) return { ...entry, reason: this.#known(entry.reason) };
    return entry;
  }

  #transcriptWithoutNumbers(entry: TranscriptEntry): TranscriptEntry {
    const content = this.#known(entry.content);
    switch (entry.role) {
      case 'user': {
        const parts = entry.parts?.map((part) => ({ ...part, content: this.#known(part.content) }));
        return { ...entry, content, ...(parts !== undefined && { parts }) };
      }
      case 'agent': {
        const { generatedContent } = entry;
        const generated = generatedContent !== undefined && { generatedContent: this.#known(generatedContent) };
        return { ...entry, content, ...generated };
      }
      default:
        return { ...entry, content };
    }
  }
}

function givenIn(texts: readonly string[]): GivenInPauses {
  const numbers = LANGUAGE_TAGS.map((language) => {
    const runs = texts.flatMap((text) => spokenCharacters(text, language));
    return runs.flatMap((run) => run.map(({ value }) => value)).join('');
  });
  return {
    words: texts.map(plainText).join(' '),
    numbers: [...new Set(numbers)].map((characters) => ({ entity: 'number', characters })),
  };
}

/** The value does not come from the conversation. */
function isGiven({ initial, name }: Extract<Entry, { readonly type: 'variable' }>): boolean {
  return initial === true || BUILT_IN.has(name);
}

/** Its texts replaced; times, names and codes stay. */
function hidden(entry: Entry): Entry {
  if (entry.type === 'variable') return { ...entry, value: NOT_RECORDED };
  if (entry.type === 'transfer' && entry.reason !== undefined) return { ...entry, reason: NOT_RECORDED };
  return entry.type === 'transcript' ? { ...entry, entry: hiddenTranscript(entry.entry) } : entry;
}

function hiddenTranscript(entry: TranscriptEntry): TranscriptEntry {
  switch (entry.role) {
    case 'user':
    case 'dtmf':
      return { role: entry.role, ...times(entry), content: NOT_RECORDED };
    case 'agent':
      return { role: entry.role, ...times(entry), interrupted: entry.interrupted, content: NOT_RECORDED };
    case 'tool_call': {
      const names = Object.keys(entry.arguments);
      return { ...entry, arguments: Object.fromEntries(names.map((name) => [name, NOT_RECORDED])) };
    }
    case 'tool_response':
      return { ...entry, content: NOT_RECORDED };
    case 'state_transition':
    case 'recording_pause':
      return entry;
  }
}

function times({ endUs, sequence, startUs }: TranscriptEntry) {
  return { sequence, startUs, endUs };
}

/** Whether a party may have said some of the entry in the pause. */
function touches({ endUs, role, startUs }: TranscriptEntry, pause: PauseEntry): boolean {
  const late = role === 'user' ? LATE_WORDS_US : 0;
  const untilUs = pause.endUs === null ? Number.POSITIVE_INFINITY : pause.endUs + late;
  return startUs < untilUs && (endUs ?? Number.POSITIVE_INFINITY) > pause.startUs;
}

function remember(texts: Map<number, string>, { content, sequence }: TranscriptEntry, max: number): void {
  texts.delete(sequence);
  texts.set(sequence, content);
  const [oldest] = texts.keys();
  if (texts.size > max && oldest !== undefined) texts.delete(oldest);
}

function plainText(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** What an entry replaces when it is written again; null: it cannot be. */
function keyOf(entry: Entry): string | null {
  if (entry.type === 'transcript') return `entry ${entry.entry.sequence}`;
  return entry.type === 'variable' ? `variable ${entry.name}` : null;
}
