import type { GuardedRequest, GuardedResponse } from '../../outgoing-http/guarded-http.ts';

/** The part of the guarded client that is needed here. */
export interface HttpClient {
  request(order: GuardedRequest): Promise<GuardedResponse>;
}

export interface AttemptResult {
  /** `gone`: the receiver wants nothing any more (410). */
  readonly verdict: 'received' | 'failed' | 'gone';
  /** Null where no answer came. */
  readonly httpStatus: number | null;
  /** For the delivery log: the receiver's answer, or what went wrong. */
  readonly outcome: string;
}

/** Makes one request and judges what came of it. Never rejects. */
export async function attemptDelivery(
  http: HttpClient,
  makeRequest: () => Promise<GuardedRequest>,
): Promise<AttemptResult> {
  try {
    const response = await http.request(await makeRequest());
    const { status } = response;
    const verdict = status === 410 ? 'gone' : status >= 200 && status < 300 ? 'received' : 'failed';
    return { verdict, httpStatus: status, outcome: new TextDecoder().decode(response.body) };
  } catch (error) {
    return { verdict: 'failed', httpStatus: null, outcome: error instanceof Error ? error.message : String(error) };
  }
}
