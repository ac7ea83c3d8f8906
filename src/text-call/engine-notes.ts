import type { CallPorts } from '../../engine/session/call-ports.ts';
import { logEngineNotice } from '../log/engine-notice-log.ts';
import type { Log } from '../log/log.ts';
import { eventText } from '../log/pretty-line.ts';

/** Shows the engine's warnings and errors as notes: the event and its fields as in the log. */
export function engineNotes(onNote: (text: string) => void): CallPorts['log'] {
  const note = (fields: object, event: string): void => onNote(eventText(event, fields));
  const ignore = (): void => {};
  const log: Log = { debug: ignore, info: ignore, warn: note, error: note, fatal: note };
  return (notice) => logEngineNotice(log, notice);
}
