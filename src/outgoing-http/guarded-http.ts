import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import type { AddressPolicy } from '../../base/network/address-policy.ts';
import { HttpGuardError } from './http-guard-error.ts';

export interface GuardedRequest {
  /** http or https. */
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bound of the whole request, from the name lookup to the last byte of the response. */
  readonly timeoutMs: number;
  /** Body bytes that are kept; the connection is closed when more come. */
  readonly responseBytesMax: number;
}

export interface GuardedResponse {
  /** 100–599 as received: redirects are not followed. */
  readonly status: number;
  readonly contentType: string | null;
  readonly body: Uint8Array;
  /** The body was longer than the bound. */
  readonly cutOff: boolean;
}

/** Resolves with every address of a name, IPv4 and IPv6, or rejects. */
export type ResolveName = (hostname: string) => Promise<readonly string[]>;

/** Timeout of connecting; the whole request has its own timeout. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Connections to one origin at once; further requests to it wait within their timeout. */
const CONNECTIONS_PER_ORIGIN_MAX = 256;
/** Bytes of response headers; more counts as a protocol error. */
const RESPONSE_HEADER_BYTES_MAX = 16_384;

/**
 * The one client for URLs that API clients set. Where a socket is opened, the name is resolved, the address is checked, and the
 * socket goes to exactly this address. So a name that resolves differently the second time gains nothing.
 */
export class GuardedHttp {
  readonly #policy: AddressPolicy;
  readonly #resolve: ResolveName;
  readonly #agent: Agent;

  constructor(policy: AddressPolicy, resolve: ResolveName) {
    this.#policy = policy;
    this.#resolve = resolve;
    this.#agent = new Agent({
      connect: (options, callback) => this.#connect(options, callback),
      connections: CONNECTIONS_PER_ORIGIN_MAX,
      maxHeaderSize: RESPONSE_HEADER_BYTES_MAX,
    });
  }

  /** @throws {HttpGuardError} if there is no response; a status of any kind is a response. */
  async request(guardedRequest: GuardedRequest): Promise<GuardedResponse> {
    const url = parseUrl(guardedRequest.url);
    const signal = AbortSignal.timeout(guardedRequest.timeoutMs);
    try {
      // undici applies the signal only to an open connection, so connecting is bounded here too.
      return await Promise.race([this.#exchange(url, guardedRequest, signal), rejectionAt(signal)]);
    } catch (error) {
      throw asGuardError(error, guardedRequest.timeoutMs);
    }
  }

  async #exchange(url: URL, guardedRequest: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse> {
    const response = await request(url, {
      dispatcher: this.#agent,
      method: guardedRequest.method,
      headers: guardedRequest.headers,
      body: guardedRequest.body ?? null,
      signal,
    });
    const contentType = response.headers['content-type'];
    const { body, cutOff } = await readBounded(response.body, guardedRequest.responseBytesMax);
    return {
      status: response.statusCode,
      contentType: typeof contentType === 'string' ? contentType : null,
      body,
      cutOff,
    };
  }

  /** Closes every connection; requests in flight fail as `closed`. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    if (isIP(options.hostname) !== 0) {
      const refusal = this.#policy.refusal(options.hostname, port);
      if (refusal !== null) {
        callback(refused(options.hostname, refusal), null);
        return;
      }
    }
    const connector = buildConnector({
      allowH2: false,
      timeout: CONNECT_TIMEOUT_MS,
      maxCachedSessions: 0,
      lookup: this.#lookup(port),
    });
    connector(options, callback);
  }

  /** Node does not call this for a literal address. */
  #lookup(port: number): LookupFunction {
    return (hostname, options, callback) => {
      this.#checkedAddresses(hostname, port).then(
        (addresses) => {
          const [first] = addresses;
          if (options.all === true || first === undefined) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
      );
    };
  }

  /** At least one address; refused ones are left out. */
  async #checkedAddresses(hostname: string, port: number): Promise<{ address: string; family: number }[]> {
    const found = await this.#resolve(hostname).catch((cause: unknown) => {
      throw new HttpGuardError('not_found', `the name ${hostname} could not be resolved`, { cause });
    });
    if (found.length === 0) throw new HttpGuardError('not_found', `the name ${hostname} has no address`);
    const refusals = found.map((address) => this.#policy.refusal(address, port));
    const allowed = found.filter((_, index) => refusals[index] === null);
    if (allowed.length === 0) throw refused(hostname, refusals[0] ?? '');
    return allowed.map((address) => ({ address, family: isIP(address) }));
  }
}

function rejectionAt(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new HttpGuardError('invalid_url', 'the address is no URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new HttpGuardError('invalid_url', `${url.protocol} is neither http nor https`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new HttpGuardError('invalid_url', 'a URL with credentials is not taken; use a header');
  }
  return url;
}

async function readBounded(
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<{ body: Uint8Array; cutOff: boolean }> {
  const chunks: Uint8Array[] = [];
  let room = bytesMax;
  for await (const chunk of stream) {
    if (chunk.byteLength > room) {
      chunks.push(chunk.subarray(0, room));
      // Leaving the loop destroys the stream, and with it the connection.
      return { body: Buffer.concat(chunks), cutOff: true };
    }
    chunks.push(chunk);
    room -= chunk.byteLength;
  }
  return { body: Buffer.concat(chunks), cutOff: false };
}

function refused(hostname: string, refusal: string): HttpGuardError {
  return new HttpGuardError('refused_address', `the address of ${hostname} is refused: ${refusal}`);
}

function asGuardError(error: unknown, timeoutMs: number): HttpGuardError {
  if (error instanceof HttpGuardError) return error;
  if (!(error instanceof Error)) return new HttpGuardError('unreachable', String(error));
  const code = 'code' in error ? error.code : undefined;
  if (error.name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new HttpGuardError('timeout', `no complete answer within ${timeoutMs} ms`, { cause: error });
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new HttpGuardError('closed', 'the client is closed', { cause: error });
  }
  const reason = typeof code === 'string' ? code : error.name;
  return new HttpGuardError('unreachable', `the server could not be reached or broke off (${reason})`, {
    cause: error,
  });
}
