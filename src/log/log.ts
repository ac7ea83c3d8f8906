import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { printable } from '../../base/text/printable.ts';
import type { LogEvent, LogFields } from './log-event-catalogue.ts';
import { createMasker, type Masker } from './log-mask.ts';
import type { LogRecords } from './log-records.ts';
import { prettyLine } from './pretty-line.ts';
import { StandardOutput } from './standard-output.ts';

export type LogFormat = 'pretty' | 'json';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Logs events of the catalogue with their fields. A pino `Logger` is one. */
export type Log = { readonly [L in LogLevel]: <E extends LogEvent>(fields: LogFields[E], event: E) => void };

export interface LogOptions {
  readonly level: Level | 'silent';
  /** Absent or null: `pretty` if standard output is a terminal, otherwise `json`. */
  readonly format?: LogFormat | null;
  /** Texts that must never be logged, such as the keys of the configuration. */
  readonly secrets: readonly string[];
  /** Absent: standard output. */
  readonly destination?: DestinationStream;
  /** Gets each line that is written. */
  readonly records?: LogRecords;
}

/**
 * The service's logger: one line for each event. The mask works on the finished line, so nothing gets around it: no message,
 * nested field, error stack or binding of a child.
 */
export function createLogger({ level, format, secrets, destination, records }: LogOptions): Logger {
  const mask = createMasker(secrets);
  const isPretty = (format ?? (process.stdout.isTTY && destination === undefined ? 'pretty' : 'json')) === 'pretty';
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: (line) => {
          const record = masked(line, mask);
          records?.pass(record);
          return writtenLine(record, isPretty);
        },
      },
    },
    destination ?? standardOutput(),
  );
}

function standardOutput(): DestinationStream {
  const output = new StandardOutput();
  process.once('exit', () => output.flushSync());
  return output;
}

/** A logger that writes the call's id on every line. */
export function callLogger(log: Logger, callId: string): Logger {
  return log.child({ call_id: callId });
}

const UNMASKED = { level: 'error', msg: 'log line masking failed' satisfies LogEvent };

function writtenLine(record: unknown, isPretty: boolean): string {
  // JSON escapes C0 alone, and `docker logs` shows it on a terminal.
  return isPretty ? prettyLine(record) : `${printable(JSON.stringify(record))}\n`;
}

function masked(line: string, mask: Masker): unknown {
  try {
    return mask(JSON.parse(line));
  } catch {
    return UNMASKED;
  }
}
