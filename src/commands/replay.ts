import { type Divergence, exactReplay } from '../../engine/tape/exact-replay.ts';
import { readTapeFolder } from '../tape-folder.ts';

/**
 * `trunkline replay DIR…`: exact replay of each tape. Answers the exit status: 0 where every command was the same, 1 where
 * one differed, 2 where there was nothing to replay or a folder is no tape.
 */
export async function replayCommand(
  directories: readonly string[],
  out: { write(text: string): unknown },
): Promise<number> {
  if (directories.length === 0) {
    out.write('trunkline replay DIR…: name the folder of at least one tape\n');
    return 2;
  }
  let status = 0;
  for (const directory of directories) status = Math.max(status, await replayOne(directory, out));
  return status;
}

async function replayOne(directory: string, out: { write(text: string): unknown }): Promise<number> {
  try {
    const { agent, header, entries } = await readTapeFolder(directory);
    const startedAt = performance.now();
    const outcome = exactReplay(agent, header, entries);
    const tookMs = performance.now() - startedAt;
    if (!outcome.ok) {
      out.write(`${directory}: differs at entry ${outcome.divergence.seq}\n${describe(outcome.divergence)}`);
      return 1;
    }
    const callMs = (entries.at(-1)?.atUs ?? 0) / 1000;
    const commands = entries.reduce((sum, entry) => sum + entry.commands.length, 0);
    const speed = Math.round(callMs / Math.max(tookMs, 0.001));
    out.write(
      `${directory}: the same, ${outcome.entries} entries, ${commands} commands, ${(callMs / 1000).toFixed(1)} s of call in ${tookMs.toFixed(0)} ms (${speed} times real time)\n`,
    );
    return 0;
  } catch (error) {
    out.write(`${directory}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

function describe({ command, expected, actual, leadingUp }: Divergence): string {
  const events = leadingUp.map(
    ({ seq, atUs, event }) => `  ${String(seq).padStart(6)}  ${(atUs / 1e6).toFixed(3)} s  ${JSON.stringify(event)}\n`,
  );
  return `${events.join('')}  command ${command}\n  - ${JSON.stringify(expected)}\n  + ${JSON.stringify(actual)}\n`;
}
