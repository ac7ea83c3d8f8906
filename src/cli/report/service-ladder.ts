import type { Configuration } from '../../configuration/configuration.ts';

/** The service answers from memory. */
const ANSWER_TIMEOUT_MS = 3_000;
/** A wildcard address is bound, not connected to. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** The SIP ladder of a call, which only the running service has; otherwise why there is none. */
export type ServiceLadder = { readonly text: string } | { readonly missing: string };

/** Never rejects. */
export async function serviceLadder({ apiKey, http }: Configuration, callId: string): Promise<ServiceLadder> {
  if (apiKey === null) return { missing: 'TRUNKLINE_API_KEY is not set, so the service was not asked' };
  const host = WILDCARDS[http.bind] ?? (http.bind.includes(':') ? `[${http.bind}]` : http.bind);
  try {
    const response = await fetch(`http://${host}:${http.port}/v1/calls/${callId}/sip-ladder`, {
      headers: { 'x-api-key': apiKey },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    if (response.ok) return { text: await response.text() };
    return { missing: `the service answered ${response.status}: it keeps the messages of its latest calls in memory` };
  } catch {
    return { missing: `no service answered on ${host}:${http.port}` };
  }
}
