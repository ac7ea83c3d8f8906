import type { AgentConfiguration } from '../agent/agent.ts';
import type { CallCommand } from '../core/command.ts';
import { compileAgent } from '../session/machine/compile-agent.ts';
import { initialCallState, stepCall } from '../session/step-call.ts';
import type { TapeEntry, TapeHeader } from './tape-format.ts';

/** Entries shown before a divergence. */
const LEADING_UP = 5;

export type ReplayOutcome =
  | { readonly ok: true; readonly entries: number }
  | { readonly ok: false; readonly divergence: Divergence };

/** The first entry at which the rules order something else than they did. */
export interface Divergence {
  readonly seq: number;
  /** Index of the first command that differs. */
  readonly command: number;
  /** Null where one side has no such command. */
  readonly expected: CallCommand | null;
  readonly actual: CallCommand | null;
  /** What led to it, the diverging entry last. */
  readonly leadingUp: readonly TapeEntry[];
}

/**
 * Feeds a tape's events at their times to the rules and compares every command that they order, in order. No clock
 * runs, and no provider answers: what happened is on the tape.
 */
export function exactReplay(
  agent: AgentConfiguration,
  header: TapeHeader,
  entries: readonly TapeEntry[],
): ReplayOutcome {
  const compiled = compileAgent(agent);
  let state = initialCallState(compiled, header.parameters);
  for (const [index, entry] of entries.entries()) {
    const outcome = stepCall(compiled, state, entry);
    state = outcome.state;
    const command = firstDifference(entry.commands, outcome.commands);
    if (command === null) continue;
    const divergence: Divergence = {
      seq: entry.seq,
      command,
      expected: entry.commands[command] ?? null,
      actual: outcome.commands[command] ?? null,
      leadingUp: entries.slice(Math.max(0, index - LEADING_UP), index + 1),
    };
    return { ok: false, divergence };
  }
  return { ok: true, entries: entries.length };
}

function firstDifference(expected: readonly CallCommand[], actual: readonly CallCommand[]): number | null {
  for (let index = 0; index < Math.max(expected.length, actual.length); index++) {
    if (!isSame(expected[index], actual[index])) return index;
  }
  return null;
}

/** As a rule the keys stand in the same order too, and the costly form, a hundred times a long request, is not needed. */
function isSame(expected: CallCommand | undefined, actual: CallCommand | undefined): boolean {
  return JSON.stringify(expected) === JSON.stringify(actual) || canonical(expected) === canonical(actual);
}

/** JSON with the keys in order: where a property was set must make no difference. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'nothing'
  );
}
