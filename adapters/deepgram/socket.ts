import {
  ProviderSocket,
  type ProviderSocketDial,
  type ProviderSocketEvents,
} from '../provider-socket/provider-socket.ts';

// The socket is our own over `ws`, not the one of @deepgram/sdk 5.13, because with the SDK
// - a refused upgrade is told as a sentence: the HTTP status and `Retry-After`, which the call's rules need, are lost;
// - it releases a socket only by the closing handshake, also on abort: a peer that does not answer keeps it for 30 s;
// - its wrapper hides the amount of unsent data, so that a full network is not noticed.
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

/** One WebSocket to Deepgram. Close codes: 1008 for what it cannot read (DATA-0000), 1011 for its own and idle ends (NET-*). */
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
