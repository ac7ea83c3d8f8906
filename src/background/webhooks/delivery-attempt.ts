import type { GuardedRequest, GuardedResponse } from '../../outgoing-http/guarded-http.ts';

/** The part of the guarded HTTP client that deliveries use. */
export interface HttpClient {
  request(request: GuardedRequest): Promise<GuardedResponse>;
}

export interface AttemptResult {
  /** `gone`: the receiver responded with 410. */
  readonly verdict: 'received' | 'failed' | 'gone';
  /** null: no response. */
  readonly httpStatus: number | null;
  /** For the delivery log: the response or the cause of the failure. */
  readonly outcome: string;
}

/** Sends one request and classifies the result. Never rejects. */
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
