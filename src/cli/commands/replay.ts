import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { printable } from '../../../base/text/printable.ts';
import { readTapeFolder, tapesIn } from '../files/tape-folder.ts';
import { readAgentAgainstTape } from '../replay/agent-against-tape.ts';
import { type ReplayMode, replayTape } from '../replay/replay-tape.ts';
import { turnLines } from '../replay/turn-lines.ts';
import { asksForHelp } from './help.ts';

const REPLAY_USAGE = `trunkline replay [--simulate] [--agent FILE] [--turns] DIR…

  DIR is a tape, a folder of tapes, or the file of trunkline report. Without options all commands of the recorded call are compared in order.
  --simulate      run the agent again against the recorded user and compare the outcome
  --agent FILE    the same with another agent: the body of POST /v1/agents, or agent.json of a tape
  --turns         show each turn with its stages, in ms since the end of the user's speech

  Exit status: 0 no differences, 1 differences, 2 nothing to replay or an invalid tape.
`;

/** Output of the command. A terminal also shows the progress. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

interface Replay {
  readonly tapes: readonly string[];
  readonly mode: ReplayMode;
  readonly showsTurns: boolean;
}

interface Totals {
  readonly status: number;
  readonly callMs: number;
  readonly tookMs: number;
}

/** `trunkline replay`: resolves to the exit status of the usage. */
export async function replayCommand(args: readonly string[], out: Output): Promise<number> {
  if (asksForHelp(args)) {
    out.write(REPLAY_USAGE);
    return 0;
  }
  const replay = await readArguments(args).catch((error: unknown) => {
    out.write(`${printable(messageOf(error))}\n${error instanceof TypeError ? REPLAY_USAGE : ''}`);
    return null;
  });
  if (replay === null) return 2;
  if (replay.tapes.length === 0) {
    out.write(REPLAY_USAGE);
    return 2;
  }
  const width = Math.max(...replay.tapes.map((tape) => basename(resolve(tape)).length));
  let all: Totals = { status: 0, callMs: 0, tookMs: 0 };
  for (const [index, tape] of replay.tapes.entries()) {
    const progress = `${index + 1}/${replay.tapes.length} ${basename(resolve(tape))} …`;
    if (out.isTTY === true) out.write(progress);
    const result = await replayOne(tape, replay, width);
    if (out.isTTY === true) out.write(`\r${' '.repeat(progress.length)}\r`);
    out.write(result.text);
    all = {
      status: Math.max(all.status, result.status),
      callMs: all.callMs + result.callMs,
      tookMs: all.tookMs + result.tookMs,
    };
  }
  if (replay.tapes.length > 1) out.write(`${replay.tapes.length} tapes: ${speedOf(all)}\n`);
  return all.status;
}

/** Rejects with a `TypeError` for unknown options (`parseArgs`), or with the fault of a file. */
async function readArguments(args: readonly string[]): Promise<Replay> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      simulate: { type: 'boolean', default: false },
      agent: { type: 'string' },
      turns: { type: 'boolean', default: false },
    },
  });
  const agent = values.agent === undefined ? null : await readAgentAgainstTape(values.agent);
  const mode: ReplayMode = values.simulate || agent !== null ? { type: 'simulation', agent } : { type: 'exact' };
  const found = await Promise.all(
    positionals.map(async (directory) => {
      const tapes = await tapesIn(directory);
      if (tapes.length === 0) throw new Error(`${directory}: contains no tape`);
      return tapes;
    }),
  );
  return { tapes: found.flat(), mode, showsTurns: values.turns };
}

async function replayOne(
  directory: string,
  { mode, showsTurns }: Replay,
  width: number,
): Promise<Totals & { text: string }> {
  const name = basename(resolve(directory)).padEnd(width);
  try {
    const tape = await readTapeFolder(directory);
    const startedAt = performance.now();
    const { isSame, callMs, entries, lines, summary } = replayTape(tape, mode);
    const tookMs = performance.now() - startedAt;
    const shown = [...(showsTurns ? turnLines(entries) : []), ...lines];
    const text = `${name}  ${speedOf({ callMs, tookMs })}: ${printable(summary)}\n${shown.map((line) => `  ${printable(line)}\n`).join('')}`;
    return { status: isSame ? 0 : 1, callMs, tookMs, text };
  } catch (error) {
    return { status: 2, callMs: 0, tookMs: 0, text: `${name}  ${printable(messageOf(error))}\n` };
  }
}

function speedOf({ callMs, tookMs }: Pick<Totals, 'callMs' | 'tookMs'>): string {
  const speed = Math.round(callMs / Math.max(tookMs, 0.001));
  return `${(callMs / 1000).toFixed(1)} s of call in ${tookMs.toFixed(0)} ms, ${speed} times real time`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
