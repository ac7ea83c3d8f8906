import { renameFields } from './tape-field-names.ts';

/** Versions 2 and 3 differ only in `log` commands: sentences in version 2, notices in version 3. */

/** The header of a version 2 tape as one of version 3. A value of another shape is returned unchanged. */
export function headerFromVersion2(header: unknown): unknown {
  return renameFields(header, new Map(), (key, value) => (key === 'tape' ? 3 : value));
}

/** An entry of a version 2 tape without its `log` commands. A value of another shape is returned unchanged. */
export function entryFromVersion2(entry: unknown): unknown {
  return renameFields(entry, new Map(), (key, value) =>
    key === 'commands' && Array.isArray(value) ? value.filter((command) => !isLog(command)) : value,
  );
}

function isLog(command: unknown): boolean {
  return typeof command === 'object' && command !== null && 'type' in command && command.type === 'log';
}
