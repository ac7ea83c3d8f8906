import type { InboxEntry } from '../../../engine/core/event.ts';
import type { CallParameters } from '../../../engine/core/state/call-parameters.ts';
import type { CompiledAgent } from '../../../engine/session/machine/compile-agent.ts';
import { initialCallState, processInboxEntry } from '../../../engine/session/process-inbox-entry.ts';
import type { TapeEntry } from '../../../engine/tape/tape-format.ts';

/** A call with masked events: its commands are those that the rules give for these events, so that it replays without a difference. */
export function* replayedEntries(
  compiled: CompiledAgent,
  parameters: CallParameters,
  entries: Iterable<InboxEntry>,
): Generator<TapeEntry> {
  let state = initialCallState(compiled, parameters);
  for (const entry of entries) {
    const outcome = processInboxEntry(state, entry);
    state = outcome.state;
    yield { ...entry, commands: outcome.commands };
  }
}
