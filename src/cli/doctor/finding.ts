/** One line of what the doctor found. */
export interface Finding {
  /** `warning`: the service runs, yet something that its user will want does not work. */
  readonly verdict: 'ok' | 'warning' | 'fault';
  readonly subject: string;
  readonly text: string;
  /** What to do about it; absent where all is well. */
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
  // Of a failed fetch the cause says what happened.
  return error.cause instanceof Error ? error.cause.message : error.message;
}
