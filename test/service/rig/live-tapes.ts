import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTapeFolder, tapesIn } from '../../../src/cli/files/tape-folder.ts';
import { replayTape } from '../../../src/cli/replay/replay-tape.ts';

/** Each agent of the live tests records its calls, so that all of them are replayed. */
export const RECORDED = { record_tape: true };

/**
 * Replays each call recorded in the data directory and returns their number. Rejects with the first divergence of each
 * call that differs. A call whose process was killed replays up to its last entry.
 */
export async function replayLiveCalls(dataDir: string): Promise<number> {
  const folder = join(dataDir, 'tapes');
  if (!existsSync(folder)) return 0;
  const tapes = await tapesIn(folder);
  const divergences: string[] = [];
  for (const tape of tapes) {
    // The process was killed before the first line was written.
    if (!readFileSync(join(tape, 'tape.jsonl'), 'utf8').includes('\n')) continue;
    const { isSame, summary, lines } = replayTape(await readTapeFolder(tape), { type: 'exact' });
    if (!isSame) divergences.push([`${tape}: ${summary}`, ...lines].join('\n'));
  }
  if (divergences.length > 0) throw new Error(`live calls that do not replay exactly:\n${divergences.join('\n')}`);
  return tapes.length;
}
