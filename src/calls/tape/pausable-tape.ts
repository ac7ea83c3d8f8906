import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { CallEvent, InboxRecord } from '../../../engine/core/event.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';
import type { CompiledAgent } from '../../../engine/session/machine/compile-agent.ts';
import { type CallState, processInboxEntry } from '../../../engine/session/process-inbox-entry.ts';
import { PauseAnswers } from '../redaction/pause-answers.ts';
import { maskedEvent, type TextMask } from './masked-event.ts';
import { silence } from './silence.ts';
import { speechMask } from './speech-mask.ts';
import type { TapeWriter } from './tape-writer.ts';

const ZERO = '0';
/** Takes the place of a digit where «0» ends a DTMF entry. */
const ONE = '1';

/**
 * The tape of a call whose recording may be paused. From the first pause on, the commands on the tape are those that the rules give for
 * masked events, so that it replays without a difference:
 *
 * - in a pause every letter becomes `x` and every digit `0`, and all audio is silence;
 * - after it, what the user says and types is kept; what models, tools and the API say is kept without numbers, since they may repeat
 *   one; extracted values and summaries are masked as in the pause.
 */
export class PausableTape {
  readonly #tape: TapeWriter;
  readonly #compiled: CompiledAgent;
  readonly #format: AudioFormat;
  readonly #answers = new PauseAnswers();
  /** Masks numbers alone. */
  readonly #withoutNumbers: TextMask;
  /** The state of the call by the masked events; null before the first pause. */
  #masked: CallState | null = null;
  /** Position in the user's audio at which the open stream of the transcriber starts. */
  #streamFromMs = 0;
  /** Of the user's audio, what was received in the last pause. */
  #pausedUntilMs = 0;
  #isDiscarded = false;

  /** `format`: of the user's audio. */
  constructor(tape: TapeWriter, compiled: CompiledAgent, format: AudioFormat) {
    this.#tape = tape;
    this.#compiled = compiled;
    this.#format = format;
    const [zero = ZERO] = languagePack(compiled.agent.language).dictation.digits;
    this.#withoutNumbers = speechMask(ZERO, zero, 1);
  }

  /** `after`: the state of the call after the record. */
  write(record: InboxRecord, after: CallState): void {
    if (this.#isDiscarded) return;
    const { event } = record;
    const mask = this.#maskOf(event);
    const wasPaused = this.#answers.isPaused;
    this.#answers.follow(record);
    for (const command of record.commands) if (command.type === 'transcriber.open') this.#streamFromMs = command.fromMs;
    if (wasPaused) this.#pausedUntilMs = record.audioMs ?? 0;
    if (this.#masked === null) {
      this.#tape.write(record);
      if (this.#answers.isPaused) this.#masked = after;
      return;
    }
    const entry = { ...record, event: mask === null ? event : maskedEvent(event, mask) };
    const { commands, state } = processInboxEntry(this.#masked, entry);
    this.#masked = state;
    this.#tape.write({ ...entry, commands });
  }

  /** The user's audio as received. */
  heard(audio: Uint8Array): void {
    if (!this.#isDiscarded) this.#tape.heard(this.#answers.isPaused ? silence(this.#format, audio.length) : audio);
  }

  /** Audio of a segment as it came from the voice. */
  spoken(segment: number, format: AudioFormat, audio: Uint8Array): void {
    if (this.#isDiscarded) return;
    const isSilent = this.#answers.isPaused || this.#answers.isSegment(segment);
    this.#tape.spoken(segment, format, isSilent ? silence(format, audio.length) : audio);
  }

  /** The user has refused to be recorded: the tape is deleted. */
  async discard(): Promise<void> {
    this.#isDiscarded = true;
    await this.#tape.discard();
  }

  async close(): Promise<void> {
    if (!this.#isDiscarded) await this.#tape.close();
  }

  /** Null: the event stays as it is. */
  #maskOf(event: CallEvent): TextMask | null {
    if (this.#masked === null) return null;
    if (event.type === 'media.dtmf') return this.#answers.isPaused ? this.#digitMask : null;
    if (this.#answers.isPaused || this.#answers.isAnswer(event)) return crossed;
    switch (event.type) {
      case 'extraction.done':
      case 'summary.done':
        return crossed;
      case 'transcriber.interim':
      case 'transcriber.final':
      case 'transcriber.turn':
        return this.#streamFromMs + event.startMs < this.#pausedUntilMs ? crossed : null;
      case 'media.typed_text':
        return null;
      default:
        return this.#withoutNumbers;
    }
  }

  /** What ends an entry of the user still does. */
  readonly #digitMask: TextMask = (digit) => {
    const { terminator } = this.#compiled.agent.dtmf;
    if (digit === terminator) return digit;
    return terminator === ZERO ? ONE : ZERO;
  };
}

function crossed(text: string): string {
  return text.replace(/[\p{L}\p{M}]/gu, 'x').replace(/\p{N}/gu, ZERO);
}
