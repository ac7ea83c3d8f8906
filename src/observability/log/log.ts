import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { createMasker, type Masker } from './log-mask.ts';

export interface LogOptions {
  readonly level: Level | 'silent';
  /** Texts that must not come out wherever they stand: the keys of the configuration. */
  readonly secrets: readonly string[];
  /** Standard output where it is absent. */
  readonly destination?: DestinationStream;
}

/** Lines that wait for a slow reader of standard output; past it lines are dropped, and calls go on. */
const BUFFER_BYTES_MAX = 8_388_608;

/**
 * The service's logger: JSON lines. Masking works on the finished line, so there is no way around it: not by a message,
 * a nested field, an error's stack or a child's bindings.
 */
export function createLogger({ level, secrets, destination }: LogOptions): Logger {
  const mask = createMasker(secrets);
  return pino(
    { level, base: null, hooks: { streamWrite: (line) => maskLine(line, mask) } },
    destination ?? pino.destination({ fd: 1, sync: false, maxLength: BUFFER_BYTES_MAX }),
  );
}

/** A logger that writes the call's id on every line. */
export function callLogger(log: Logger, callId: string): Logger {
  return log.child({ call_id: callId });
}

function maskLine(line: string, mask: Masker): string {
  try {
    return `${JSON.stringify(mask(JSON.parse(line)))}\n`;
  } catch {
    return '{"level":50,"msg":"a log line could not be masked and was left out"}\n';
  }
}
