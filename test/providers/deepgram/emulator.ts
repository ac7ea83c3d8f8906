import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { Delays, LoopbackServer } from '../loopback-server.ts';
import { knowWire } from '../socket/half-frame.ts';
import { type Refusal, refuseUpgrade } from '../socket/refused-upgrade.ts';
import type { SpeakScript } from '../speech/speak-answer.ts';
import { LISTEN_V2 } from './flux-listen.ts';
import { type FluxSpeakRecord, FluxSpeakSession } from './flux-speak.ts';
import { LISTEN_V1, type ListenRecord, type ListenScript, ListenSession } from './listen.ts';
import { type SpeakRecord, SpeakSession } from './speak.ts';

export interface DeepgramEmulatorOptions {
  /** `nth` counts the listen sockets from 0. Without it, no words are recognised. */
  readonly listen?: (query: URLSearchParams, nth: number) => ListenScript;
  readonly speak?: SpeakScript;
  /** Time from `Clear` to `Cleared`, ms. The speech in progress is still sent in this time. */
  readonly clearMs?: number;
  /** Called at each upgrade; `nth` counts all upgrades from 0. */
  readonly refuse?: (path: string, nth: number) => Refusal | undefined;
  /** Time from an upgrade request to its response, ms. `Infinity`: no response. */
  readonly openMs?: number;
  /** Stops reading from each socket once it is open, as if the network were congested. */
  readonly pauseSockets?: boolean;
  /** Keeps all audio in the records; not for load tests. */
  readonly keepAudio?: boolean;
}

export interface DeepgramEmulator {
  /** Without a path: the adapters append it. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly listens: readonly ListenRecord[];
  readonly speaks: readonly SpeakRecord[];
  readonly fluxSpeaks: readonly FluxSpeakRecord[];
  readonly openSockets: number;
  readonly connections: number;
  close(): Promise<void>;
}

const API_KEY = 'emulated-deepgram-key';
const PATHS = ['/v1/listen', '/v2/listen', '/v1/speak', '/v2/speak'];
const ENCODINGS = ['linear16', 'mulaw', 'alaw'];

/** A loopback server for Deepgram's listen and speak sockets, v1 and v2. It rejects the requests that Deepgram rejects. */
export async function startDeepgramEmulator(options: DeepgramEmulatorOptions = {}): Promise<DeepgramEmulator> {
  const server = await LoopbackServer.listen();
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, autoPong: false });
  const delays = new Delays();
  const listens: ListenSession[] = [];
  const speaks: SpeakSession[] = [];
  const fluxSpeaks: FluxSpeakSession[] = [];
  let upgrades = 0;

  server.http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = new URL(request.url ?? '/', server.origin);
    const refused = options.refuse?.(url.pathname, upgrades++) ?? refusalOf(request, url);
    if (refused !== undefined) {
      refuseUpgrade(socket, refused, API_KEY);
      return;
    }
    if (options.openMs === Number.POSITIVE_INFINITY) {
      // Without reading, the server would not see the client disconnect.
      socket.resume().on('end', () => socket.end());
      return;
    }
    delays.after(options.openMs ?? 0, () => {
      if (!socket.destroyed) upgrade(request, socket, head, url);
    });
  });

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, url: URL): void {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => undefined);
      knowWire(webSocket, socket);
      if (options.pauseSockets) webSocket.pause();
      if (url.pathname.endsWith('/listen')) {
        const dialect = url.pathname === '/v2/listen' ? LISTEN_V2 : LISTEN_V1;
        const script = options.listen?.(url.searchParams, listens.length) ?? { steps: [] };
        listens.push(
          new ListenSession(webSocket, url.searchParams, script, delays, options.keepAudio ?? false, dialect),
        );
      } else if (url.pathname === '/v2/speak') {
        fluxSpeaks.push(new FluxSpeakSession(webSocket, url.searchParams, options.speak ?? (() => ({})), delays));
      } else {
        speaks.push(
          new SpeakSession(webSocket, url.searchParams, options.speak ?? (() => ({})), delays, options.clearMs ?? 0),
        );
      }
    });
  }

  return {
    baseUrl: server.origin,
    apiKey: API_KEY,
    listens,
    speaks,
    fluxSpeaks,
    get openSockets() {
      return server.openSockets;
    },
    get connections() {
      return server.connections;
    },
    close: () => {
      delays.clear();
      return server.close();
    },
  };
}

function refusalOf(request: IncomingMessage, url: URL): Refusal | undefined {
  if (!PATHS.includes(url.pathname)) return { status: 404 };
  // Deepgram compares the name of the authorization scheme without regard to case.
  if (request.headers.authorization?.toLowerCase() !== `token ${API_KEY}`) return { status: 401 };
  const query = url.searchParams;
  const known = ENCODINGS.includes(query.get('encoding') ?? '') && Number(query.get('sample_rate')) >= 8_000;
  const isFlux = query.get('model')?.startsWith('flux-') ?? false;
  if (!known || !query.get('model') || isFlux !== url.pathname.startsWith('/v2/')) return { status: 400 };
  const utteranceEnd = query.get('utterance_end_ms');
  if (utteranceEnd !== null && (Number(utteranceEnd) < 1_000 || query.get('interim_results') !== 'true')) {
    return { status: 400 };
  }
  const eager = query.get('eager_eot_threshold');
  const eot = query.get('eot_threshold') ?? 0.7;
  if (eager !== null && (Number(eager) < 0.3 || Number(eager) > Number(eot))) return { status: 400 };
  return undefined;
}
