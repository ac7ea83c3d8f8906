import { z } from 'zod';
import type { CallParameters } from '../core/state/call-parameters.ts';
import { entryFromTape, entryToTape } from './tape-field-names.ts';
import { TAPE_VERSION, type TapeEntry, type TapeHeader } from './tape-format.ts';
import { entryFromVersion1, headerFromVersion1 } from './upgrade-version-1.ts';
import { entryFromVersion2, headerFromVersion2 } from './upgrade-version-2.ts';

/** Longer lines are rejected. The longest valid command contains a whole conversation. */
const LINE_CHARACTERS_MAX = 16 * 1024 * 1024;

const json: z.ZodType<CallParameters['dynamicVariables'][string]> = z.json();

const traits = z.object({
  detectsTurns: z.boolean(),
  configurable: z.boolean().optional(),
  hasDeadline: z.boolean().optional(),
  wordEndSlackMs: z.number().optional(),
  punctuates: z.boolean().optional(),
  finalP99Ms: z.number(),
});

const versionSchema = z.looseObject({ tape: z.number() });
const headerSchema = z.strictObject({
  tape: z.literal(TAPE_VERSION),
  parameters: z.object({
    callId: z.string(),
    agentId: z.string(),
    agentVersion: z.number(),
    direction: z.enum(['inbound', 'outbound']),
    fromNumber: z.string().nullable(),
    toNumber: z.string().nullable(),
    dynamicVariables: z.record(z.string(), json),
    untrustedVariables: z.array(z.string()).exactOptional(),
    startedWallMs: z.number(),
    transcriberTraits: traits,
    fallbackTranscriberTraits: z.array(traits).exactOptional(),
    modelLatencies: z
      .array(z.object({ provider: z.string(), model: z.string(), firstTokenP99Ms: z.number().nonnegative() }))
      .exactOptional(),
    isSourceUntrusted: z.literal(true).exactOptional(),
    hasEndOfTurnModel: z.literal(true).exactOptional(),
    voiceFirstAudioP99Ms: z.array(z.number().nonnegative().nullable()).exactOptional(),
  }),
  format: z.object({ encoding: z.enum(['mulaw', 'alaw', 'linear16']), sampleRateHz: z.number().int().positive() }),
});

/** Only the type of events and commands is checked here. A replay checks the rest. */
const typed = z.looseObject({ type: z.string() });
const entrySchema = z.object({
  seq: z.number().int().nonnegative(),
  atUs: z.number().nonnegative(),
  audioMs: z.number().nonnegative().optional(),
  event: typed,
  commands: z.array(typed),
});

/** Reads a line of an old version as one of the next version. */
interface Upgrade {
  readonly from: number;
  readonly header: (header: unknown) => unknown;
  readonly entry: (entry: unknown) => unknown;
}

const UPGRADES: readonly Upgrade[] = [
  { from: 1, header: headerFromVersion1, entry: entryFromVersion1 },
  { from: 2, header: headerFromVersion2, entry: entryFromVersion2 },
];

export interface Tape {
  readonly header: TapeHeader;
  readonly entries: readonly TapeEntry[];
}

/** An invalid line of a tape. */
export class TapeFault extends Error {
  override readonly name = 'TapeFault';
  /** Counted from 1. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(`tape.jsonl, line ${line}: ${message}`);
    this.line = line;
  }
}

export function formatTapeHeader(header: TapeHeader): string {
  return `${JSON.stringify(header)}\n`;
}

export function formatTapeEntry(entry: TapeEntry): string {
  return `${JSON.stringify(entryToTape(entry))}\n`;
}

/**
 * Parses `tape.jsonl`. A last line without line end is ignored: the process exited while writing it.
 *
 * @throws TapeFault if a line is invalid, the version is unknown, or an entry is missing
 */
export function parseTape(text: string): Tape {
  const lines = text.split('\n');
  // The text after the last line end is empty or incomplete.
  lines.pop();
  const [first, ...rest] = lines;
  if (first === undefined) throw new TapeFault(1, 'there is no header');
  const given = parsed(first, 1);
  const version = versionSchema.safeParse(given).data?.tape ?? TAPE_VERSION;
  if (version !== TAPE_VERSION && !UPGRADES.some(({ from }) => from === version)) {
    throw new TapeFault(
      1,
      `this is a tape of version ${version}, and only those of versions 1 to ${TAPE_VERSION} are read`,
    );
  }
  const upgrades = UPGRADES.filter(({ from }) => from >= version);
  const header = headerSchema.safeParse(upgrades.reduce((value, upgrade) => upgrade.header(value), given));
  if (!header.success) throw new TapeFault(1, z.prettifyError(header.error));
  return { header: header.data, entries: rest.map((line, index) => parseEntry(line, index, upgrades)) };
}

function parseEntry(line: string, index: number, upgrades: readonly Upgrade[]): TapeEntry {
  const given = parsed(line, index + 2);
  const value = entryFromTape(upgrades.reduce((entry, upgrade) => upgrade.entry(entry), given));
  if (!isEntry(value)) throw new TapeFault(index + 2, 'this line is not a tape entry');
  if (value.seq !== index) throw new TapeFault(index + 2, `expected entry ${index}, found ${value.seq}`);
  return value;
}

/** Checks the shape only. A replay checks the content. */
function isEntry(value: unknown): value is TapeEntry {
  return entrySchema.safeParse(value).success;
}

function parsed(line: string, number: number): unknown {
  if (line.length > LINE_CHARACTERS_MAX) throw new TapeFault(number, 'the line is too long');
  try {
    return JSON.parse(line);
  } catch {
    throw new TapeFault(number, 'invalid JSON');
  }
}
