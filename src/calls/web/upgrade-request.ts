import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

const MEDIA_PATH = /\/v1\/calls\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/media$/i;
/** RFC 6455 §4.1: sixteen bytes in base64. */
const WEBSOCKET_KEY = /^[+/0-9A-Za-z]{22}==$/;
/** Maximum length of a URL: longer than any valid media URL. */
const URL_LENGTH_MAX = 512;

/** A request for the media of a web call. */
export interface UpgradeRequest {
  readonly callId: string;
  readonly token: string;
}

/** Whether a request is for the media of a web call. For others the `Upgrade` header is ignored. */
export function isMediaUpgrade(request: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket' && mediaUrl(request.url) !== null;
}

/** null: no WebSocket handshake for the media of a call. */
export function readUpgrade(request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): UpgradeRequest | null {
  const { headers, method, url } = request;
  const media = mediaUrl(url);
  const shakesHands =
    method === 'GET' &&
    headers['sec-websocket-version'] === '13' &&
    WEBSOCKET_KEY.test(headers['sec-websocket-key'] ?? '');
  if (media === null || !shakesHands) return null;
  const [, callId = ''] = MEDIA_PATH.exec(media.pathname) ?? [];
  return { callId: callId.toLowerCase(), token: media.searchParams.get('token') ?? '' };
}

/**
 * Whether a page of this origin may open the media: the origin of the service or an allowed one (`*`: all). Clients that are not
 * browsers send no origin; their token is enough.
 */
export function isOriginAllowed(headers: IncomingMessage['headers'], allowed: readonly string[]): boolean {
  const { host, origin } = headers;
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** Refuses the handshake with an HTTP status and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: number, headers: Readonly<Record<string, string>> = {}): void {
  const lines = Object.entries({ Connection: 'close', 'Content-Length': '0', ...headers });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ];
  // The peer may never close its side.
  socket.end(`${head.join('\r\n')}\r\n\r\n`, () => socket.destroy());
}

function mediaUrl(url: string | undefined): URL | null {
  if (url === undefined || url.length > URL_LENGTH_MAX || !URL.canParse(url, 'http://service')) return null;
  const parsed = new URL(url, 'http://service');
  return MEDIA_PATH.test(parsed.pathname) ? parsed : null;
}
