import type { HostMessage } from '../../calls/host-process/host-messages.ts';
import type { Log, LogLevel } from '../../log/log.ts';
import type { LogEvent, LogFields } from '../../log/log-event-catalogue.ts';

/** Errors within errors; deeper causes are cut off. */
const CAUSES_MAX = 4;

/** The log of a host: each line is sent to the service, which masks and writes it. */
export function hostLog(send: (message: Extract<HostMessage, { readonly type: 'log' }>) => void): Log {
  const report =
    (level: LogLevel) =>
    <E extends LogEvent>(fields: LogFields[E], event: E) =>
      send({ type: 'log', level, event, fields: clonableFields(fields) });
  return {
    debug: report('debug'),
    info: report('info'),
    warn: report('warn'),
    error: report('error'),
    fatal: report('fatal'),
  };
}

/** The fields with errors that survive a structured clone: an SDK attaches responses and sockets to its own. */
export function clonableFields<Fields extends object>(fields: Fields): Fields {
  if (!('err' in fields)) return fields;
  return { ...fields, err: clonableError(fields.err, CAUSES_MAX) };
}

function clonableError(error: unknown, causesMax: number): unknown {
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause === undefined || causesMax === 0 ? {} : { cause: clonableError(error.cause, causesMax - 1) };
  const copy = new Error(error.message, cause);
  copy.name = error.name;
  if (error.stack !== undefined) copy.stack = error.stack;
  return copy;
}
