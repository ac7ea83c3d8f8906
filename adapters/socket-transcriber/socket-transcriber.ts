import { type AudioFormat, bytesPerSample, durationMs } from '../../base/audio/audio-format.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { TranscriberChange, TranscriberEvent, TranscriberStream } from '../../engine/ports/transcriber.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { ProviderConnection, ProviderSocketEvents } from '../provider-socket/provider-socket.ts';
import { PendingAudio } from './pending-audio.ts';
import { SentAudio } from './sent-audio.ts';

export type JsonMessage = Readonly<Record<string, unknown>>;

/** A provider that takes audio over a WebSocket and sends results as JSON. Plain functions and data. */
export interface TranscriberProtocol {
  /** Name in each `ProviderError`. */
  readonly provider: string;
  /** Dials. The connection fails if it is not open after `openMsMax`. */
  connect(openMsMax: number, events: ProviderSocketEvents): ProviderConnection;
  /** Format of the audio written to the stream. */
  readonly format: AudioFormat;
  /** Sent first, before any audio. */
  readonly opening?: JsonMessage;
  /** The message for a piece of audio. Absent: a binary message with its bytes. */
  audioMessage?(audio: Uint8Array): JsonMessage;
  /** Shortest piece of audio to send, in ms; 0: as it is written. */
  readonly pieceMs: number;
  /** Sent while no audio is written: a message at intervals, or silence as long as the pause. */
  readonly whileIdle: { readonly type: 'message'; readonly message: JsonMessage } | { readonly type: 'silence' };
  readonly finalize: JsonMessage;
  readonly closeMessage?: JsonMessage;
  /** True if a requested final is so late that the stream has failed. Called at intervals. */
  isOverdue?(): boolean;
  /** The audio has paused and silence was sent instead. Called again while the pause lasts. */
  paused?(): void;
  /** Called once when the stream ends, for memory to be released. */
  ended?(): void;
  /** Absent: options cannot change while connected. Nothing can be sent before `reader` is called. */
  configure?(change: TranscriberChange): void;
  /** Called once the socket is open; `send` writes to it. An event `failed` ends the stream. */
  reader(sent: SentAudio, send: (message: JsonMessage) => void): (text: string) => readonly TranscriberEvent[];
}

export interface TranscriberDeadlines {
  /** Dial → open. */
  readonly openMs: number;
  /** Interval of pings, and of keep-alive messages while no audio is sent. */
  readonly careMs: number;
  /** A pause of this length is filled with silence, for providers that need it. */
  readonly pauseMs: number;
}

/**
 * Opening: a call without a transcriber for 5 s has failed anyway. Pings: a dead peer is noticed within 6 s, and idle streams stay
 * below the providers' limit of 10 s. Pause: 0.5 s without audio is not jitter; the peer suppresses silence or is on hold, and the
 * provider needs silence to end a turn.
 */
export const TRANSCRIBER_DEADLINES: TranscriberDeadlines = { openMs: 5_000, careMs: 2_000, pauseMs: 500 };
/** Unanswered pings after which the connection has failed. */
const UNANSWERED_PINGS_MAX = 2;
/** Bound of unsent audio; later words would be useless. Unit: ms. */
const UNSENT_MS_MAX = 10_000;
/**
 * Audio in one message; buffered audio is sent in several. Providers bound their messages. ElevenLabs refuses larger ones with
 * `chunk_size_exceeded` and documents no bound; one second is far below the bounds of the others. Unit: ms.
 */
const MESSAGE_MS_MAX = 1_000;
/** A sample without sound. ITU-T G.711: +0 of mu-law, +0 of A-law. */
const SILENT_BYTE = { mulaw: 0xff, alaw: 0xd5, linear16: 0 } as const;

/** A transcriber's stream over one WebSocket, never redialled. */
export class SocketTranscriberStream implements TranscriberStream {
  readonly #protocol: TranscriberProtocol;
  readonly #socket: ProviderConnection;
  readonly #pending: PendingAudio;
  readonly #bytesPerMs: number;
  /** Bytes that one ms of audio takes on the wire, which may be text at another sample rate. */
  #wireBytesPerMs: number;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #silence: Uint8Array;
  #emit: ((event: TranscriberEvent) => void) | undefined;
  /** Closed or failed: nothing is sent or received. */
  #ended = false;
  #sent: SentAudio;
  #read: (text: string) => readonly TranscriberEvent[] = () => [];
  #piece: Uint8Array[] = [];
  #pieceBytes = 0;
  #sentSinceCare = false;
  #writtenSincePause = false;
  #finalizeWhenOpen = false;
  #unansweredPings = 0;

  constructor(protocol: TranscriberProtocol, deadlines: TranscriberDeadlines, emit: (event: TranscriberEvent) => void) {
    this.#protocol = protocol;
    this.#emit = emit;
    const { format, provider, whileIdle } = protocol;
    this.#pending = new PendingAudio(format);
    this.#sent = new SentAudio(format, 0);
    this.#bytesPerMs = (bytesPerSample(format) * format.sampleRateHz) / 1000;
    this.#wireBytesPerMs = this.#bytesPerMs;
    this.#silence = new Uint8Array(deadlines.pauseMs * this.#bytesPerMs).fill(SILENT_BYTE[format.encoding]);
    this.#timers = [
      setInterval(() => this.#checkConnection(), deadlines.careMs),
      ...(whileIdle.type === 'silence' ? [setInterval(() => this.#fillPause(), deadlines.pauseMs)] : []),
    ];
    this.#socket = protocol.connect(deadlines.openMs, {
      onOpen: () => this.#opened(),
      onText: (text) => this.#received(text),
      // These protocols send no binary messages to the client.
      onBinary: () => this.#fail(providerFailure(provider, 'malformed', 'unexpected binary message')),
      onPong: () => {
        this.#unansweredPings = 0;
      },
      onLost: (error) => this.#fail(error),
    });
  }

  write(audio: Uint8Array): void {
    // An empty binary message would end the stream at the provider.
    if (this.#ended || audio.length === 0) return;
    if (!this.#socket.isOpen) {
      this.#pending.add(audio);
      return;
    }
    this.#writtenSincePause = true;
    const pieceBytes = this.#pieceBytes + audio.length;
    if (pieceBytes < this.#protocol.pieceMs * this.#bytesPerMs) {
      this.#piece.push(Uint8Array.from(audio));
      this.#pieceBytes = pieceBytes;
    } else {
      this.#sendPiece(audio);
    }
  }

  finalize(): void {
    if (this.#ended) return;
    this.#finalizeWhenOpen = !this.#socket.isOpen;
    if (this.#finalizeWhenOpen) return;
    this.#sendPiece();
    this.#socket.sendJson(this.#protocol.finalize);
  }

  configure(change: TranscriberChange): void {
    if (!this.#ended) this.#protocol.configure?.(change);
  }

  close(): void {
    this.#end();
    this.#emit = undefined;
    this.#socket.close(this.#protocol.closeMessage);
  }

  #opened(): void {
    const { opening } = this.#protocol;
    if (opening !== undefined) this.#socket.sendJson(opening);
    this.#sent = new SentAudio(this.#protocol.format, this.#pending.droppedMs);
    this.#read = this.#protocol.reader(this.#sent, (message) => this.#socket.sendJson(message));
    this.#sendPiece(this.#pending.take());
    if (this.#finalizeWhenOpen) this.#socket.sendJson(this.#protocol.finalize);
    this.#emit?.({ type: 'ready' });
  }

  /** Sends the incomplete piece, followed by `audio`. */
  #sendPiece(audio?: Uint8Array): void {
    if (audio !== undefined) this.#piece.push(audio);
    const [only, ...more] = this.#piece;
    this.#piece = [];
    this.#pieceBytes = 0;
    if (only === undefined) return;
    const bytes = more.length === 0 ? only : Buffer.concat([only, ...more]);
    const most = MESSAGE_MS_MAX * this.#bytesPerMs;
    for (let at = 0; at < bytes.length; at += most) {
      const part = bytes.subarray(at, at + most);
      if (!this.#send(part)) return;
      this.#sent.addAudio(part.length);
    }
  }

  #send(bytes: Uint8Array): boolean {
    const { format, provider } = this.#protocol;
    if (this.#socket.bufferedBytes > UNSENT_MS_MAX * this.#wireBytesPerMs) {
      this.#fail(providerFailure(provider, 'timeout', `the provider takes no audio (${UNSENT_MS_MAX} ms unsent)`));
      return false;
    }
    this.#sentSinceCare = true;
    const message = this.#protocol.audioMessage?.(bytes);
    if (message === undefined) this.#socket.sendBinary(bytes);
    else this.#wireBytesPerMs = this.#socket.sendJson(message) / durationMs(format, bytes.length);
    return true;
  }

  #received(text: string): void {
    this.#unansweredPings = 0;
    for (const event of this.#read(text)) {
      if (event.type === 'failed') {
        this.#fail(event.error);
        return;
      }
      this.#emit?.(event);
    }
  }

  #fillPause(): void {
    if (this.#socket.isOpen && !this.#writtenSincePause) {
      this.#sendPiece();
      if (!this.#ended && this.#send(this.#silence)) {
        this.#sent.addSilence(this.#silence.length);
        this.#protocol.paused?.();
      }
    }
    this.#writtenSincePause = false;
  }

  #checkConnection(): void {
    if (!this.#socket.isOpen) return;
    const { provider, whileIdle } = this.#protocol;
    if (this.#unansweredPings >= UNANSWERED_PINGS_MAX) {
      this.#fail(providerFailure(provider, 'timeout', 'the provider no longer answers'));
      return;
    }
    if (this.#protocol.isOverdue?.()) {
      this.#fail(providerFailure(provider, 'timeout', 'the words of what was said do not come'));
      return;
    }
    if (whileIdle.type === 'message' && !this.#sentSinceCare) this.#socket.sendJson(whileIdle.message);
    this.#sentSinceCare = false;
    this.#unansweredPings++;
    this.#socket.ping();
  }

  /** Emits on a later turn of the event loop, because `write` may detect the failure. A `close` in between withdraws it. */
  #fail(error: ProviderError): void {
    if (this.#ended) return;
    this.#end();
    this.#socket.abandon();
    setImmediate(() => {
      const emit = this.#emit;
      this.#emit = undefined;
      emit?.({ type: 'failed', error });
    });
  }

  #end(): void {
    if (!this.#ended) this.#protocol.ended?.();
    this.#ended = true;
    for (const timer of this.#timers) clearInterval(timer);
  }
}
