import {
  ProviderSocket,
  type ProviderSocketDial,
  type ProviderSocketEvents,
} from '../provider-socket/provider-socket.ts';

// We use our own socket over `ws`, not the one of @deepgram/sdk 5.13, because the SDK
// - reports a refused upgrade as a sentence: the HTTP status and `Retry-After`, which the engine needs, are lost;
// - releases a socket only after the closing handshake, also on abort: an unresponsive peer keeps it for 30 s;
// - hides the amount of unsent data, so that a congested network goes unnoticed.
// Tests use the SDK as the client that checks the emulators.

export interface DeepgramAccess {
  /** http(s) or ws(s), without the path: `https://api.deepgram.com`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

export function deepgramDial(
  { apiKey, baseUrl }: DeepgramAccess,
  path: string,
  query: URLSearchParams,
): Omit<ProviderSocketDial, 'openMsMax'> {
  return { provider: 'deepgram', baseUrl, path, query, headers: { Authorization: `Token ${apiKey}` } };
}

/**
 * One WebSocket to Deepgram. Close codes: 1008 for unreadable input (DATA-0000), 1011 for the provider's own errors
 * and idle timeouts (NET-*).
 */
export class DeepgramSocket extends ProviderSocket {
  constructor(
    access: DeepgramAccess,
    path: string,
    query: URLSearchParams,
    openMsMax: number,
    events: ProviderSocketEvents,
  ) {
    super({ ...deepgramDial(access, path, query), openMsMax }, events);
  }
}
