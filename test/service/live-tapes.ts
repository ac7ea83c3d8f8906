import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTapeFolder, tapesIn } from '../../src/cli/files/tape-folder.ts';
import { replayTape } from '../../src/cli/replay/replay-tape.ts';

/** Every agent of the test suite records its calls, so that each of them is replayed. */
export const RECORDED = { record_tape: true };

/**
 * Replays exactly each call that a service has recorded below its data directory; answers how many. Rejects with the
 * first divergence of each that differs. A call whose process was killed replays as far as it got.
 */
export async function replayLiveCalls(dataDir: string): Promise<number> {
  const folder = join(dataDir, 'tapes');
  if (!existsSync(folder)) return 0;
  const tapes = await tapesIn(folder);
  const told: string[] = [];
  for (const tape of tapes) {
    // Its process was killed before the first line was on the disk.
    if (!readFileSync(join(tape, 'tape.jsonl'), 'utf8').includes('\n')) continue;
    const { isSame, summary, lines } = replayTape(await readTapeFolder(tape), { type: 'exact' });
    if (!isSame) told.push([`${tape}: ${summary}`, ...lines].join('\n'));
  }
  if (told.length > 0) throw new Error(`live calls that do not replay exactly:\n${told.join('\n')}`);
  return tapes.length;
}
