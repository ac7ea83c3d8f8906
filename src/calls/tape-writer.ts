import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentConfiguration } from '../../engine/agent/agent.ts';
import type { CallFacts } from '../../engine/call/call-facts.ts';
import type { AudioFormat } from '../../engine/ports/audio-format.ts';
import { TAPE_VERSION, type TapeEntry } from '../../engine/tape/tape.ts';
import { formatTapeEntry, formatTapeHeader } from '../../engine/tape/tape-lines.ts';

/** Bytes that may wait for the disk; a tape that falls further behind ends there, and the call goes on. */
const BUFFERED_BYTES_MAX = 16 * 1024 * 1024;

/** Shorter ones are extensions and service numbers: they name nobody, and their digits stand elsewhere by chance. */
const DIGITS_MIN = 7;

export interface TapeWriter {
  write(entry: TapeEntry): void;
  /** Resolves once the file is whole, or cannot be. */
  close(): Promise<void>;
}

/** Writes `agent.json` and `tape.jsonl` of one call. A disk that fails costs the tape, told by `onLost`, never the call. */
export async function openTape(
  directory: string,
  agent: AgentConfiguration,
  facts: CallFacts,
  format: AudioFormat,
  onLost: (error: Error) => void,
): Promise<TapeWriter> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, 'agent.json'), `${JSON.stringify(agent, null, 2)}\n`);
  const stream = createWriteStream(join(directory, 'tape.jsonl'), { mode: 0o600 });
  const masked = numberMask([facts.fromNumber, facts.toNumber]);
  let lost = false;
  const lose = (error: Error) => {
    if (lost) return;
    lost = true;
    onLost(error);
    stream.destroy();
  };
  stream.on('error', lose);
  stream.write(masked(formatTapeHeader({ tape: TAPE_VERSION, facts, format })));
  return {
    write(entry) {
      if (lost) return;
      if (stream.writableLength > BUFFERED_BYTES_MAX) lose(new Error('the disk is too slow for the tape'));
      else stream.write(masked(formatTapeEntry(entry)));
    },
    close: () =>
      new Promise((resolve) => {
        if (lost) resolve();
        else stream.end(resolve);
        stream.on('close', () => resolve());
      }),
  };
}

/**
 * Puts the same masked digits in the place of a number wherever it stands: in the facts, a prompt, a variable, an encoded
 * URL. The rules never look into a number, so a tape with other digits replays as the call went.
 */
function numberMask(numbers: readonly (string | null)[]): (line: string) => string {
  const digits = numbers
    .flatMap((number) => number?.replace(/\D/g, '') ?? [])
    .filter(({ length }) => length >= DIGITS_MIN);
  return (line) =>
    digits.reduce(
      (text, known) => text.replaceAll(known, known.slice(0, 2) + '0'.repeat(known.length - 4) + known.slice(-2)),
      line,
    );
}
