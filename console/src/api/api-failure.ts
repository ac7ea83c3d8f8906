import type { Failure } from '../generated/client.ts';

type Fault = Failure['error'];

/** An answer of the API that is no success. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly details: NonNullable<Fault['details']>;

  constructor(status: number, { message, details }: Pick<Fault, 'message' | 'details'>) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.details = details ?? [];
  }
}

/** The failure of an answer whose body was parsed. A body of another form is that of a reverse proxy. */
export function failureOf(status: number, body: unknown): ApiFailure {
  return new ApiFailure(status, isFailure(body) ? body.error : { message: `HTTP ${status}`, details: null });
}

/** The failure of an answer whose body is a text: JSON, or the page of a reverse proxy. */
export function failureOfText(status: number, text: string): ApiFailure {
  return failureOf(status, parsed(text));
}

function isFailure(body: unknown): body is Failure {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
