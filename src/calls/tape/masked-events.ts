import type { InboxEntry } from '../../../engine/core/event.ts';
import type { CallParameters } from '../../../engine/core/state/call-parameters.ts';
import type { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { initialCallState, processInboxEntry } from '../../../engine/session/process-inbox-entry.ts';
import type { TapeEntry } from '../../../engine/tape/tape-format.ts';

/** Names and protocol values of events, which no party chose. */
const NAMES = new Set([
  'type',
  'toolCallId',
  'id',
  'name',
  'timer',
  'provider',
  'code',
  'phase',
  'finish',
  'cause',
  'reason',
  'language',
]);
/** Whole numbers from here on may be phone numbers. */
const PHONE_MIN = 1_000_000;
/** Fields with values of models and tools. Other numbers of an event are times and counts. */
const VALUES = new Set(['answer', 'mapped', 'dynamicVariables']);

/**
 * A call with other events: its commands are those that the rules give for these events, so that it replays without a
 * difference.
 */
export function* replayedEntries(
  compiled: ReturnType<typeof compileAgent>,
  {
    entries,
    header,
  }: { readonly entries: Iterable<InboxEntry>; readonly header: { readonly parameters: CallParameters } },
): Generator<TapeEntry> {
  let state = initialCallState(compiled, header.parameters);
  for (const entry of entries) {
    const outcome = processInboxEntry(state, entry);
    state = outcome.state;
    yield { ...entry, commands: outcome.commands };
  }
}

/**
 * An event, or a value in it, with masked texts. Names and protocol values stay.
 *
 * @param isValue numbers are values, not times
 */
export function maskedValue(value: unknown, mask: (text: string) => string, isValue: boolean): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value === 'number') return isValue && Math.abs(value) >= PHONE_MIN ? PHONE_MIN : value;
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, mask, isValue));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (NAMES.has(name) && !isValue) return [name, field];
      return [name, maskedValue(field, mask, isValue || VALUES.has(name))];
    }),
  );
}
