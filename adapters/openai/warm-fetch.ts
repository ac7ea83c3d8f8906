import { Agent, fetch } from 'undici';

/** Kept between the turns of a conversation, so that no turn waits for TCP and TLS. A server's own hint goes first. */
const KEEP_ALIVE_MS = 60_000;
/** Dial, with TLS. */
const CONNECT_MS_MAX = 4_000;
/** Bytes of one answer; a server that sends more is cut off. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

export interface WarmFetch {
  fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Lets go of every connection, also of those in use. */
  close(): Promise<void>;
}

/**
 * `fetch` with connections of its own. Node's built-in one lets an idle connection go after 4 s, which is shorter than
 * most turns, and takes no agent of the undici package; so undici's is handed what the SDK uses of a request.
 */
export function createWarmFetch(): WarmFetch {
  const agent = new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_MS_MAX },
    maxResponseSize: ANSWER_BYTES_MAX,
    // A generation is cancelled by closing its connection; over HTTP/2 that would be everyone's.
    allowH2: false,
  });
  return {
    fetch: (url, init = {}) =>
      fetch(url instanceof Request ? url.url : url, {
        method: init.method ?? 'GET',
        headers: [...new Headers(init.headers)],
        body: typeof init.body === 'string' ? init.body : null,
        signal: init.signal ?? null,
        dispatcher: agent,
      }),
    close: () => agent.destroy(),
  };
}
