import { renameFields } from './tape-field-names.ts';

/**
 * Tapes of version 1 and version 2 differ only in names: of call parameters, of timers, and of the on-hold events. Times,
 * order, audio and all other fields are equal.
 */

/** Timer names of version 1 → version 2. Other names are unchanged. */
const TIMERS: ReadonlyMap<unknown, string> = new Map([
  ['answer_type', 'answering_machine_detection'],
  ['answer_watch', 'answering_machine_correction'],
  ['busy', 'tool_filler'],
  ['dtmf', 'dtmf_entry'],
  ['ending', 'call_end'],
  ['fetched', 'screening_wait'],
  ['first_word', 'callee_first_word'],
  ['machine', 'machine_silence'],
  ['machine_latest', 'machine_turn_limit'],
  ['model', 'generation'],
  ['one_moment', 'thinking_filler'],
]);
/** The timer of a `send_dtmf` call: this prefix and the id of the call. */
const DTMF_TIMER_PREFIX = 'keys.';

const EVENTS: ReadonlyMap<unknown, string> = new Map([
  ['control.held', 'control.on_hold'],
  ['control.resumed', 'control.off_hold'],
]);

const HEADER_FIELDS: ReadonlyMap<string, string> = new Map([['facts', 'parameters']]);
const PARAMETER_FIELDS: ReadonlyMap<string, string> = new Map([['modelPaces', 'modelLatencies']]);
const TRAIT_FIELDS: ReadonlyMap<string, string> = new Map([
  ['nativeTurns', 'detectsTurns'],
  ['answersOrFails', 'hasDeadline'],
]);

/** The header of a version 1 tape with the names of version 2. A value of another shape is returned unchanged. */
export function headerFromVersion1(header: unknown): unknown {
  return renameFields(header, HEADER_FIELDS, (key, value) => {
    if (key === 'tape') return 2;
    return key === 'facts' ? renameFields(value, PARAMETER_FIELDS, traits) : value;
  });
}

/** An entry of a version 1 tape with the names of version 2. A value of another shape is returned unchanged. */
export function entryFromVersion1(entry: unknown): unknown {
  return renameFields(entry, new Map(), (key, value) => {
    if (key === 'event') return withNames(value);
    return key === 'commands' && Array.isArray(value) ? value.map(withNames) : value;
  });
}

function traits(key: string, value: unknown): unknown {
  const renamed = (traits: unknown) => renameFields(traits, TRAIT_FIELDS);
  if (key === 'transcriberTraits') return renamed(value);
  return key === 'fallbackTranscriberTraits' && Array.isArray(value) ? value.map(renamed) : value;
}

/** Renames an event or a command. */
function withNames(value: unknown): unknown {
  return renameFields(value, new Map(), (key, inner) => {
    if (key === 'type') return EVENTS.get(inner) ?? inner;
    return key === 'timer' ? timerName(inner) : inner;
  });
}

function timerName(name: unknown): unknown {
  if (typeof name === 'string' && name.startsWith(DTMF_TIMER_PREFIX)) {
    return `send_dtmf.${name.slice(DTMF_TIMER_PREFIX.length)}`;
  }
  return TIMERS.get(name) ?? name;
}
