import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { InboxEntry } from '../../../engine/core/event.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';
import { findEntities } from '../../../engine/redaction/find-entities.ts';
import type { RedactionEntity } from '../../../engine/redaction/redaction-entity.ts';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { maskedEvent, maskedFields, type TextMask } from './masked-event.ts';
import { replayedEntries } from './replayed-entries.ts';
import { silence } from './silence.ts';
import { speechMask } from './speech-mask.ts';
import type { TapeWriter } from './tape-writer.ts';
import type { TapedCall } from './taped-call.ts';

/** Events of a call that wait in memory for its end, about 60 MB; a longer call has no tape. A call of four hours has about half. */
const ENTRIES_MAX = 150_000;
/** Entries that are replayed and written before other calls get their turn. */
const SLICE = 50;
const ZERO = '0';
const LETTER = 'x';
/** Shorter words of an entity are everyday words of other texts. */
const WORD_LENGTH_MIN = 3;
const WORD = /[\p{L}\p{M}]+/gu;
/** A spelling. */
const LETTERS = /(?<![\p{L}\p{M}])\p{L}(?:[\s.,-]{1,2}\p{L}(?![\p{L}\p{M}])){2,}/gu;

interface Spoken {
  readonly format: AudioFormat;
  bytes: number;
}

/**
 * The tape of a call with redaction: nothing of it is on the disk before the end of the call, since any digit may be part of a number
 * that ends later. Then all digits and number words become zeros, words of entities become `x`, all audio is silence, and the commands are
 * those that the rules give for these events.
 *
 * @param open opens the folder; called at the end
 */
export function redactedTape(
  call: TapedCall,
  entities: readonly RedactionEntity[],
  open: (call: TapedCall) => Promise<TapeWriter>,
): TapeWriter {
  const entries: InboxEntry[] = [];
  const spoken = new Map<number, Spoken>();
  let heardBytes = 0;
  let isLost = false;
  return {
    write: ({ commands: _commands, ...entry }) => {
      if (entries.length < ENTRIES_MAX) entries.push(entry);
      else isLost = true;
    },
    heard: (audio) => {
      heardBytes += audio.length;
    },
    spoken: (segment, format, audio) => {
      const known = spoken.get(segment) ?? { format, bytes: 0 };
      known.bytes += audio.length;
      spoken.set(segment, known);
    },
    async discard() {
      entries.length = 0;
      spoken.clear();
    },
    async close() {
      const error = new Error('the call is too long for a redacted tape');
      if (isLost) return call.log.error({ err: error }, 'tape write failed');
      try {
        await writeRedacted(call, entities, { entries, heardBytes, spoken }, open);
      } catch (err) {
        call.log.error({ err }, 'tape write failed');
      }
    },
  };
}

interface Kept {
  readonly entries: readonly InboxEntry[];
  readonly heardBytes: number;
  readonly spoken: ReadonlyMap<number, Spoken>;
}

async function writeRedacted(
  call: TapedCall,
  entities: readonly RedactionEntity[],
  { entries, heardBytes, spoken }: Kept,
  open: (call: TapedCall) => Promise<TapeWriter>,
): Promise<void> {
  const { configuration, format, parameters } = call;
  const mask = tapeMask(entries, entities, configuration.language);
  const dynamicVariables = maskedFields(parameters.dynamicVariables, mask);
  const maskedParameters = { ...parameters, dynamicVariables };
  const tape = await open({ ...call, parameters: maskedParameters });
  const heardBytesOfSlice = Math.floor(heardBytes / (Math.floor(entries.length / SLICE) + 1));
  let written = 0;
  const masked = maskedEntries(entries, mask);
  for (const entry of replayedEntries(compileAgent(configuration), maskedParameters, masked)) {
    const { event } = entry;
    const audio = event.type === 'voice.done' || event.type === 'voice.failed' ? spoken.get(event.segment) : undefined;
    if (audio !== undefined && 'segment' in event)
      tape.spoken(event.segment, audio.format, silence(audio.format, audio.bytes));
    tape.write(entry);
    if (++written % SLICE !== 0) continue;
    tape.heard(silence(format, heardBytesOfSlice));
    await nextTurn();
  }
  tape.heard(silence(format, heardBytes - Math.floor(written / SLICE) * heardBytesOfSlice));
  await tape.close();
}

function* maskedEntries(entries: readonly InboxEntry[], mask: TextMask): Generator<InboxEntry> {
  for (const entry of entries) yield { ...entry, event: maskedEvent(entry.event, mask) };
}

/** Hides digits, number words, spellings, and the words of all entities in the texts of these events. */
function tapeMask(entries: readonly InboxEntry[], entities: readonly RedactionEntity[], language: string): TextMask {
  const words = new Set<string>();
  const collect = (text: string) => {
    for (const span of findEntities(text, { entities, language }))
      for (const [word] of text.slice(span.from, span.to).matchAll(WORD)) words.add(word.toLowerCase());
    return text;
  };
  for (const { event } of entries) maskedEvent(event, collect);
  const [zero = ZERO] = languagePack(language).dictation.digits;
  const speech = speechMask(ZERO, zero, 1);
  const crossed = (text: string) => text.replace(WORD, (word) => LETTER.repeat(word.length));
  return (text) => {
    if (words.has(text.toLowerCase())) return speech(crossed(text));
    const spelled = text.replace(LETTERS, crossed);
    const hidden = spelled.replace(WORD, (word) =>
      word.length >= WORD_LENGTH_MIN && words.has(word.toLowerCase()) ? LETTER.repeat(word.length) : word,
    );
    return speech(hidden);
  };
}
