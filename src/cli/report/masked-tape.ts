import { agentConfigurationSchema } from '../../../engine/agent/agent.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { formatTapeEntry, formatTapeHeader, parseTape } from '../../../engine/tape/tape-file.ts';
import type { TapeEntry } from '../../../engine/tape/tape-format.ts';
import { maskedValue, replayedEntries } from '../../calls/tape/masked-events.ts';
import { speechMask } from '../../calls/tape/speech-mask.ts';
import { maskedRuns } from '../../log/number-mask.ts';
import type { TapeFolder } from '../files/tape-folder.ts';

/** A digit that stands for a hidden one: numbers stay numbers, so the rules take the same course. */
const ZERO = '0';
/** The text mask writes this character in place of a digit. */
const HIDDEN = '•';
/** Fields of product names, whose digits may be a date and are no secret. */
const PRODUCTS = new Set(['model', 'provider']);

export interface MaskedTape {
  readonly agent: unknown;
  /** The text of `tape.jsonl`. */
  readonly log: string;
  /** Whether the rules still request the same kinds of commands in the same order. */
  readonly isSameCourse: boolean;
}

/**
 * A tape without the numbers and secrets of its call. Its events are masked. The rules then run on the masked events and write the
 * commands of the new tape, so it replays without a difference.
 */
export function maskedTape({ agent, entries, header }: TapeFolder, mask: (text: string) => string): MaskedTape {
  const maskSecrets = (text: string) => mask(text).replaceAll(HIDDEN, ZERO);
  const [zero = ZERO] = languagePack(agent.language).dictation.digits;
  const speechNumbers = speechMask(ZERO, zero, 1);
  const maskSpeech = (text: string) => speechNumbers(maskSecrets(text));
  const configuration = agentConfigurationSchema.parse(settings(agent, (text) => maskedRuns(maskSecrets(text), ZERO)));
  const { parameters } = header;
  const dynamicVariables = maskedValue(parameters.dynamicVariables, maskSpeech, true);
  const lines = [
    { ...header, parameters: { ...parameters, dynamicVariables } },
    ...entries.map((entry) => ({ ...entry, commands: [], event: maskedValue(entry.event, maskSpeech, false) })),
  ];
  // Parsing validates the masked events.
  const tape = parseTape(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const replayed = [...replayedEntries(compileAgent(configuration), tape)];
  const isSameCourse = replayed.every((entry, index) => courseOf(entry) === courseOf(entries[index] ?? entry));
  const log = [formatTapeHeader(tape.header), ...replayed.map(formatTapeEntry)].join('');
  return { agent: configuration, log, isSameCourse };
}

function courseOf({ commands }: TapeEntry): string {
  return commands
    .map(({ type }) => type)
    .filter((type) => type !== 'log')
    .join();
}

function settings(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => settings(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, PRODUCTS.has(name) ? field : settings(field, mask)]),
  );
}
