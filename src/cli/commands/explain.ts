import { existsSync } from 'node:fs';
import { printable, printableLines } from '../../../base/text/printable.ts';
import { tapeInput } from '../../../engine/timeline/tape-input.ts';
import { axisStartUs, silenceInput } from '../../api/timeline/stored-timeline.ts';
import { loadConfiguration } from '../../configuration/configuration.ts';
import type { TranscriptRecord } from '../../storage/calls/transcript-record.ts';
import { silenceLines, type TimelineEntry } from '../explain/silence-lines.ts';
import { readStoredCall } from '../explain/stored-call.ts';
import { readStoredTape } from '../files/stored-tape.ts';
import { readTapeFolder, type TapeFolder } from '../files/tape-folder.ts';
import { asksForHelp } from './help.ts';
import { CALL_ID } from './tape-export.ts';

const EXPLAIN_USAGE = `trunkline explain CALL_ID|DIR

  Says why a call was silent: for each time of more than a second in which the user waited and heard nothing, its
  causes, the largest first, with their shares and evidence. CALL_ID is a call in the database of the service, which may
  be running, or a tape in DATA_DIR or STORAGE_URL. DIR is a tape.

  Exit status: 0 explained, 1 no such call or tape, or an invalid one, 2 wrong usage.
`;

interface Output {
  write(text: string): unknown;
}

/** `trunkline explain`: resolves to the exit status of the usage. */
export async function explainCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  out: Output,
): Promise<number> {
  const [target, ...more] = args;
  if (asksForHelp(args)) {
    out.write(EXPLAIN_USAGE);
    return 0;
  }
  if (target === undefined || target.startsWith('-') || more.length > 0) {
    out.write(EXPLAIN_USAGE);
    return 2;
  }
  try {
    const lines = await (CALL_ID.test(target) ? callLines(target.toLowerCase(), environment) : tapeLines(target));
    out.write(lines.map((line) => `${printable(line)}\n`).join(''));
    return 0;
  } catch (error) {
    out.write(`${printableLines(error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  }
}

/** From the database, or from the call's tape if that is all there is. */
async function callLines(callId: string, environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const configuration = loadConfiguration(environment);
  try {
    const stored = await readStoredCall(configuration, callId);
    const input = silenceInput(stored);
    if (input !== null) return silenceLines(input, stored.transcript.map(timelineEntry), axisStartUs(stored.call));
    throw new Error(
      `nothing explains call ${callId}: it has no agent, its content was deleted, or an older version ran it`,
    );
  } catch (error) {
    const tape = await readStoredTape(configuration, callId);
    if (tape === null) throw error;
    return linesOf(tape);
  }
}

function timelineEntry({ content, fields, role, startUs }: TranscriptRecord): TimelineEntry {
  const { name, to } = fields;
  return {
    content,
    role,
    startUs,
    ...(typeof name === 'string' && { name }),
    ...(typeof to === 'string' && { to }),
  };
}

async function tapeLines(directory: string): Promise<readonly string[]> {
  if (!existsSync(directory)) {
    throw new Error(
      `${directory} is neither a call nor a tape: give the id of a call, which is a UUID, or a folder that exists`,
    );
  }
  return linesOf(await readTapeFolder(directory));
}

function linesOf({ entries }: Pick<TapeFolder, 'entries'>): readonly string[] {
  const input = tapeInput(entries);
  return silenceLines(input, input.transcript, 0);
}
