import type { AgentConfiguration } from '../agent/agent-schema.ts';
import type { CallCommand } from '../core/command.ts';
import { compileAgent } from '../session/machine/compile-agent.ts';
import { initialCallState, processInboxEntry } from '../session/process-inbox-entry.ts';
import type { TapeEntry, TapeHeader } from './tape-format.ts';

/** Number of entries before a divergence that are reported. */
const LEADING_UP = 5;

export type ReplayOutcome =
  | { readonly ok: true; readonly entries: number }
  | { readonly ok: false; readonly divergence: Divergence };

/** The first entry whose commands differ from the recorded ones. */
export interface Divergence {
  readonly seq: number;
  /** Index of the first command that differs, `log` commands not counted. */
  readonly command: number;
  /** Null if this side has no command at the index. */
  readonly expected: CallCommand | null;
  readonly actual: CallCommand | null;
  /** The entries before it, with the diverging entry as the last one. */
  readonly leadingUp: readonly TapeEntry[];
}

/**
 * Feeds the recorded events to the rules and compares every command, in order, except the notices for the log: they have no
 * effect on the call. It needs no clock and no provider, since the tape contains the times and the provider events.
 */
export function exactReplay(
  agent: AgentConfiguration,
  header: TapeHeader,
  entries: readonly TapeEntry[],
): ReplayOutcome {
  const compiled = compileAgent(agent);
  let state = initialCallState(compiled, header.parameters);
  for (const [index, entry] of entries.entries()) {
    const outcome = processInboxEntry(state, entry);
    state = outcome.state;
    const expected = entry.commands.filter(isCompared);
    const actual = outcome.commands.filter(isCompared);
    const command = firstDifference(expected, actual);
    if (command === null) continue;
    const divergence: Divergence = {
      seq: entry.seq,
      command,
      expected: expected[command] ?? null,
      actual: actual[command] ?? null,
      leadingUp: entries.slice(Math.max(0, index - LEADING_UP), index + 1),
    };
    return { ok: false, divergence };
  }
  return { ok: true, entries: entries.length };
}

function isCompared({ type }: CallCommand): boolean {
  return type !== 'log';
}

function firstDifference(expected: readonly CallCommand[], actual: readonly CallCommand[]): number | null {
  for (let index = 0; index < Math.max(expected.length, actual.length); index++) {
    if (!isSame(expected[index], actual[index])) return index;
  }
  return null;
}

/** Usually the keys have the same order, so the expensive canonical form is not needed. */
function isSame(expected: CallCommand | undefined, actual: CallCommand | undefined): boolean {
  return JSON.stringify(expected) === JSON.stringify(actual) || canonical(expected) === canonical(actual);
}

/** JSON with sorted keys: the order of assignment must not matter. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'nothing'
  );
}
