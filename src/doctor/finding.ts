/** One line of the output of the doctor. */
export interface Finding {
  /** `warning`: the service runs, but a feature does not work. */
  readonly verdict: 'ok' | 'warning' | 'fault';
  readonly subject: string;
  readonly text: string;
  /** Suggested action. Missing for `ok`. */
  readonly remedy?: string;
}

export function fine(subject: string, text: string): Finding {
  return { verdict: 'ok', subject, text };
}

export function warning(subject: string, text: string, remedy: string): Finding {
  return { verdict: 'warning', subject, text, remedy };
}

export function fault(subject: string, text: string, remedy: string): Finding {
  return { verdict: 'fault', subject, text, remedy };
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The cause of a failed fetch names the error.
  return error.cause instanceof Error ? error.cause.message : error.message;
}
