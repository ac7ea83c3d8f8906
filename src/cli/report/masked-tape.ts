import { agentConfigurationSchema } from '../../../engine/agent/agent.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { initialCallState, processInboxEntry } from '../../../engine/session/process-inbox-entry.ts';
import { formatTapeEntry, formatTapeHeader, parseTape, type Tape } from '../../../engine/tape/tape-file.ts';
import type { TapeEntry } from '../../../engine/tape/tape-format.ts';
import { maskedRuns } from '../../log/number-mask.ts';
import type { TapeFolder } from '../files/tape-folder.ts';
import { type SpeechMask, speechMask } from './speech-mask.ts';

/** A digit that stands for a hidden one: numbers stay numbers, so the rules take the same course. */
const ZERO = '0';
/** What the mask of texts writes in the place of a digit. */
const HIDDEN = '•';
/** Names and protocol values of events, which no party chose. */
const NAMES = new Set([
  'type',
  'toolCallId',
  'id',
  'name',
  'timer',
  'provider',
  'code',
  'phase',
  'finish',
  'cause',
  'reason',
  'language',
]);
/** Whole numbers from here on may be phone numbers. */
const PHONE_MIN = 1_000_000;
/** Names of products, which may contain a date. */
const PRODUCTS = new Set(['model', 'provider']);
/** What models and tools return; other numbers of an event are times and counts. */
const VALUES = new Set(['answer', 'mapped', 'dynamicVariables']);

export interface MaskedTape {
  readonly agent: unknown;
  /** The text of `tape.jsonl`. */
  readonly log: string;
  /** Whether the rules still request the same kinds of commands in the same order. */
  readonly isSameCourse: boolean;
}

/**
 * A tape without the numbers and secrets of its call. Its events are masked, and its commands are what the rules make of the masked
 * events: so it replays without a difference.
 */
export function maskedTape({ agent, entries, header }: TapeFolder, mask: (text: string) => string): MaskedTape {
  const secretless = (text: string) => mask(text).replaceAll(HIDDEN, ZERO);
  const [zero = ZERO] = languagePack(agent.language).dictation.digits;
  const speech = speechMask(ZERO, zero, 1);
  const configuration = agentConfigurationSchema.parse(settings(agent, (text) => maskedRuns(secretless(text), ZERO)));
  const { parameters } = header;
  const dynamicVariables = said(parameters.dynamicVariables, speech, secretless, true);
  const lines = [
    { ...header, parameters: { ...parameters, dynamicVariables } },
    ...entries.map((entry) => ({ ...entry, commands: [], event: said(entry.event, speech, secretless, false) })),
  ];
  // The text of the tape is read again: reading checks what masking has made.
  const tape = parseTape(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const replayed = withCommands(compileAgent(configuration), tape);
  const isSameCourse = replayed.every((entry, index) => courseOf(entry) === courseOf(entries[index] ?? entry));
  const log = [formatTapeHeader(tape.header), ...replayed.map(formatTapeEntry)].join('');
  return { agent: configuration, log, isSameCourse };
}

function withCommands(compiled: ReturnType<typeof compileAgent>, { entries, header }: Tape): readonly TapeEntry[] {
  let state = initialCallState(compiled, header.parameters);
  return entries.map((entry) => {
    const outcome = processInboxEntry(compiled, state, entry);
    state = outcome.state;
    return { ...entry, commands: outcome.commands };
  });
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

/** `isValue`: numbers are values, not times. */
function said(value: unknown, speech: SpeechMask, secretless: (text: string) => string, isValue: boolean): unknown {
  if (typeof value === 'string') return speech(secretless(value));
  if (typeof value === 'number') return isValue && Math.abs(value) >= PHONE_MIN ? PHONE_MIN : value;
  if (Array.isArray(value)) return value.map((item) => said(item, speech, secretless, isValue));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (NAMES.has(name) && !isValue) return [name, field];
      return [name, said(field, speech, secretless, isValue || VALUES.has(name))];
    }),
  );
}
