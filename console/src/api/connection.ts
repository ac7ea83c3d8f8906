import { defaults, type Failure } from '../generated/client.ts';

/** The service's address: the console is at `console/` below it. */
export const SERVICE_URL = new URL('..', `${location.origin}${location.pathname}`).href.replace(/\/$/, '');

interface Answer {
  readonly status: number;
  readonly data: unknown;
}
type Success<R extends Answer> = Extract<R, { readonly status: 200 | 201 }>;

/** An answer of the API that is no success. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly details: NonNullable<Failure['error']['details']>;

  constructor(status: number, { message, details }: Pick<Failure['error'], 'message' | 'details'>) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.details = details ?? [];
  }
}

let keyHeader: Readonly<Record<string, string>> = {};

/** Sends all later requests with this key. */
export function sendKey(secret: string | null): void {
  keyHeader = secret === null ? {} : { 'x-api-key': secret };
  defaults.baseUrl = SERVICE_URL;
  defaults.headers = { ...keyHeader };
}

/** For requests that the generated client cannot send. */
export function keyHeaders(): Readonly<Record<string, string>> {
  return keyHeader;
}

/** A file of the API: the generated client reads every body as text. @throws ApiFailure */
export async function fileOf(path: string): Promise<Blob> {
  const response = await fetch(`${SERVICE_URL}${path}`, { headers: keyHeader });
  if (response.ok) return response.blob();
  const fault = failureOf(await response.json());
  throw new ApiFailure(response.status, fault ?? { message: `HTTP ${response.status}`, details: null });
}

/** The body of a successful answer. @throws ApiFailure for every other one */
export async function bodyOf<R extends Answer>(request: Promise<R>): Promise<Success<R>['data']> {
  const answer: R = await request;
  if (isSuccess(answer)) return answer.data;
  throw new ApiFailure(answer.status, failureOf(answer.data) ?? { message: `HTTP ${answer.status}`, details: null });
}

function isSuccess<R extends Answer>(answer: R): answer is R & Success<R> {
  return answer.status === 200 || answer.status === 201;
}

export function failureOf(data: unknown): Failure['error'] | null {
  return isFailure(data) ? data.error : null;
}

function isFailure(data: unknown): data is Failure {
  return typeof data === 'object' && data !== null && 'error' in data && data.error !== null;
}
