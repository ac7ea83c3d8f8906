import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { CallCommand } from '../../../engine/core/command.ts';
import { outcomeLines } from '../../../engine/tape/call-outcome.ts';
import { exactReplay } from '../../../engine/tape/exact-replay.ts';
import { type ReSimulation, reSimulate } from '../../../engine/tape/re-simulation/re-simulation.ts';
import type { TapeFolder } from '../files/tape-folder.ts';
import { tapeProviders } from '../files/tape-provider.ts';
import type { AgentAgainstTape } from './agent-against-tape.ts';
import { describeDifferences, describeDivergence, entryLine } from './describe.ts';
import { lineDiff } from './line-diff.ts';

export type ReplayMode =
  /** Compares every command with the recorded one. */
  | { readonly type: 'exact' }
  /** Runs the user of the tape against an agent, by default the recorded one. */
  | { readonly type: 'simulation'; readonly agent: AgentAgainstTape | null };

export interface Replayed {
  readonly isSame: boolean;
  /** Duration of the recorded call. */
  readonly callMs: number;
  /** The call as it ran now: the recorded one, or the re-simulated one. */
  readonly entries: TapeFolder['entries'];
  /** Differences as lines. Empty without differences. */
  readonly lines: readonly string[];
  readonly summary: string;
}

/** Entries shown before the first difference of a re-simulation. */
const LEADING_UP = 8;

/** @throws {Error} if a re-simulated call does not end, or the other agent is invalid */
export function replayTape(tape: TapeFolder, mode: ReplayMode): Replayed {
  const callMs = (tape.entries.at(-1)?.atUs ?? 0) / 1000;
  return { callMs, ...(mode.type === 'exact' ? exact(tape) : simulated(tape, mode.agent?.(tape.agent) ?? tape.agent)) };
}

function exact({ agent, header, entries }: TapeFolder): Omit<Replayed, 'callMs'> {
  const outcome = exactReplay(agent, header, entries);
  if (!outcome.ok) {
    const { divergence } = outcome;
    return {
      isSame: false,
      entries,
      lines: describeDivergence(divergence),
      summary: `differs at entry ${divergence.seq}`,
    };
  }
  const commands = entries.reduce((sum, entry) => sum + entry.commands.length, 0);
  const cut = entries.some(({ commands }) => commands.some(isEnd)) ? '' : '; the tape stops before the call ended';
  return {
    isSame: true,
    entries,
    lines: [],
    summary: `the same, ${entries.length} entries, ${commands} commands${cut}`,
  };
}

/** The last command of a complete tape. A crash or a disk error leaves a tape without it. */
function isEnd(command: CallCommand): boolean {
  return command.type === 'journal.write' && command.entry.type === 'ended';
}

function simulated(tape: TapeFolder, agent: AgentConfiguration): Omit<Replayed, 'callMs'> {
  const outcome = reSimulate(agent, tape, tapeProviders);
  const changed = lineDiff(outcomeLines(outcome.recorded), outcomeLines(outcome.simulated));
  if (changed.length === 0 && outcome.differences.length === 0) {
    const { entries } = outcome;
    return { isSame: true, entries, lines: [], summary: `the same outcome, ${entries.length} entries` };
  }
  const lines = [...changed, ...describeDifferences(outcome.differences), ...leadingUp(tape, outcome)];
  return {
    isSame: false,
    entries: outcome.entries,
    lines,
    summary: changed.length > 0 ? 'another outcome' : 'the same outcome, asked otherwise',
  };
}

/** The events of the re-simulated call up to the first difference. */
function leadingUp(tape: TapeFolder, { entries }: ReSimulation): readonly string[] {
  const kindOf = (index: number, of: TapeFolder['entries']) => JSON.stringify(of[index]?.event);
  const first = entries.findIndex((_, index) => kindOf(index, entries) !== kindOf(index, tape.entries));
  if (first < 0) return [];
  const shown = entries.slice(Math.max(0, first + 1 - LEADING_UP), first + 1);
  return ['the events up to the first that is not the tape’s:', ...shown.map(entryLine)];
}
