import { defaults } from '../generated/client.ts';
import { failureOf, failureOfText } from './api-failure.ts';
import { reached } from './service-unreachable.ts';

/** The service's address: the console is at `console/` below it. */
export const SERVICE_URL = new URL('..', `${location.origin}${location.pathname}`).href.replace(/\/$/, '');

interface Answer {
  readonly status: number;
  readonly data: unknown;
}
type Success<R extends Answer> = Extract<R, { readonly status: 200 | 201 }>;

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

/** A file of the API: the generated client reads every body as text. @throws ApiFailure, ServiceUnreachable */
export async function fileOf(path: string): Promise<Blob> {
  const response = await reached(fetch(`${SERVICE_URL}${path}`, { headers: keyHeader }));
  if (response.ok) return reached(response.blob());
  throw failureOfText(response.status, await reached(response.text()));
}

/** The body of a successful answer. @throws ApiFailure for every other one; ServiceUnreachable */
export async function bodyOf<R extends Answer>(request: Promise<R>): Promise<Success<R>['data']> {
  const answer: R = await reached(request);
  if (isSuccess(answer)) return answer.data;
  throw failureOf(answer.status, answer.data);
}

function isSuccess<R extends Answer>(answer: R): answer is R & Success<R> {
  return answer.status === 200 || answer.status === 201;
}
