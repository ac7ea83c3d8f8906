import { agentConfigurationSchema } from '../../../engine/agent/agent-schema.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { formatTapeEntry, formatTapeHeader } from '../../../engine/tape/tape-file.ts';
import type { TapeEntry } from '../../../engine/tape/tape-format.ts';
import { maskedEvent, maskedFields } from '../../calls/tape/masked-event.ts';
import { replayedEntries } from '../../calls/tape/replayed-entries.ts';
import { speechMask } from '../../calls/tape/speech-mask.ts';
import { maskedRuns } from '../../log/number-mask.ts';
import type { TapeFolder } from '../files/tape-folder.ts';

/** A digit that stands for a hidden one: numbers stay numbers, so the rules return the same kinds of commands. */
const ZERO = '0';
/** The text mask writes this character in place of a digit. */
const HIDDEN = '•';
/** Fields of an agent that name a product: their digits may be a date and are no secret. */
const PRODUCT_FIELDS = new Set(['model', 'provider']);

export interface MaskedTape {
  readonly agent: unknown;
  /** The text of `tape.jsonl`. */
  readonly log: string;
  /** Whether the rules still return the same kinds of commands in the same order. */
  readonly isSameCourse: boolean;
}

/**
 * A tape without the numbers and secrets of its call. Its events are masked. The rules then run on the masked events and write the
 * commands of the new tape, so it replays without a difference.
 */
export function maskedTape({ agent, entries, header }: TapeFolder, mask: (text: string) => string): MaskedTape {
  const maskText = (text: string) => mask(text).replaceAll(HIDDEN, ZERO);
  const [zero = ZERO] = languagePack(agent.language).dictation.digits;
  const maskDictation = speechMask(ZERO, zero, 1);
  const maskSpeech = (text: string) => maskDictation(maskText(text));
  const configuration = agentConfigurationSchema.parse(
    maskedConfiguration(agent, (text) => maskedRuns(maskText(text), ZERO)),
  );
  const dynamicVariables = maskedFields(header.parameters.dynamicVariables, maskSpeech);
  const parameters = { ...header.parameters, dynamicVariables };
  const masked = entries.map((entry) => ({ ...entry, event: maskedEvent(entry.event, maskSpeech) }));
  const replayed = [...replayedEntries(compileAgent(configuration), parameters, masked)];
  const isSameCourse = replayed.every((entry, index) => commandTypes(entry) === commandTypes(entries[index] ?? entry));
  const log = [formatTapeHeader({ ...header, parameters }), ...replayed.map(formatTapeEntry)].join('');
  return { agent: configuration, log, isSameCourse };
}

function commandTypes({ commands }: TapeEntry): string {
  return commands
    .map(({ type }) => type)
    .filter((type) => type !== 'log')
    .join();
}

function maskedConfiguration(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskedConfiguration(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      PRODUCT_FIELDS.has(name) ? field : maskedConfiguration(field, mask),
    ]),
  );
}
