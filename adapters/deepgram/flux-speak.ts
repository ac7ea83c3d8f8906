import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { SegmentRun, SegmentSink, SegmentSource } from '../segmented-voice/segment-source.ts';
import { decodeFluxSpeakMessage } from './flux-speak-message.ts';
import { type CreateConnection, type DeepgramAccess, DeepgramSocket } from './socket.ts';

interface Waiting {
  readonly text: string;
  readonly sink: SegmentSink;
}

interface Turn {
  /** Undefined after a cancel. Then nothing is sent until the provider has ended the turn. */
  sink: SegmentSink | undefined;
  speechId: string | undefined;
}

/**
 * One speak v2 socket per call. A segment is one turn at the provider. Turns go one at a time, because an interruption names only
 * the turn being spoken.
 */
export class FluxSpeakSource implements SegmentSource {
  readonly segmentsMax = 1;
  readonly #access: DeepgramAccess;
  readonly #create: CreateConnection;
  readonly #format: AudioFormat;
  readonly #openMsMax: number;
  #socket: DeepgramSocket | undefined;
  #hasSpoken = false;
  /** Waits until the socket is open and the previous turn has ended. */
  #waiting: Waiting | undefined;
  #turn: Turn | undefined;
  /** Last ended turn. A repeated end message for it is ignored. */
  #endedSpeechId: string | undefined;

  constructor(access: DeepgramAccess, create: CreateConnection, format: AudioFormat, openMsMax: number) {
    this.#access = access;
    this.#create = create;
    this.#format = format;
    this.#openMsMax = openMsMax;
    this.#dial();
  }

  begin(text: string, sink: SegmentSink): SegmentRun {
    const waiting = { text, sink };
    this.#waiting = waiting;
    if (this.#socket === undefined) this.#dial();
    this.#send();
    return { drop: () => this.#drop(waiting) };
  }

  abandon(): void {
    this.#socket?.abandon();
    this.#forget();
  }

  close(): void {
    this.#socket?.close({ type: 'Close' });
    this.#forget();
  }

  #dial(): void {
    this.#hasSpoken = false;
    this.#socket = new DeepgramSocket(this.#access, this.#create, this.#openMsMax, {
      onOpen: () => this.#send(),
      onText: (text) => this.#received(text),
      onBinary: (bytes) => this.#turn?.sink?.audio(this.#format, bytes),
      onPong: () => undefined,
      onLost: (error) => this.#lost(error),
    });
  }

  #send(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || this.#turn !== undefined || !this.#socket?.isOpen) return;
    this.#waiting = undefined;
    this.#turn = { sink: waiting.sink, speechId: undefined };
    this.#hasSpoken = true;
    this.#socket.sendJson({ type: 'Speak', text: waiting.text });
    this.#socket.sendJson({ type: 'Flush' });
  }

  /** Before the first audio the provider ignores the interruption and continues; that audio is dropped too. */
  #drop(waiting: Waiting): void {
    if (this.#waiting === waiting) this.#waiting = undefined;
    if (this.#turn?.sink !== waiting.sink) return;
    this.#turn.sink = undefined;
    this.#socket?.sendJson({ type: 'Interrupt' });
  }

  #received(text: string): void {
    const message = decodeFluxSpeakMessage(text);
    switch (message.type) {
      case 'started':
        if (this.#turn !== undefined) this.#turn.speechId ??= message.speechId;
        return;
      case 'ended':
        this.#ended(message.speechId);
        return;
      case 'error':
        this.#lost(providerFailure('deepgram', 'closed', 'the provider reported an error and ended the stream'));
        return;
      case 'malformed':
        this.#lost(providerFailure('deepgram', 'malformed', 'unexpected message on the speak socket'));
        return;
      case 'ignored':
    }
  }

  #ended(speechId: string): void {
    const turn = this.#turn;
    if (turn === undefined || speechId === this.#endedSpeechId) return;
    if (turn.speechId !== undefined && turn.speechId !== speechId) return;
    this.#endedSpeechId = speechId;
    this.#turn = undefined;
    this.#send();
    turn.sink?.done();
  }

  /** A lost socket fails its pending segments. A used socket without pending segments is opened again once. */
  #lost(error: ProviderError): void {
    const pending = [this.#turn, this.#waiting].flatMap((segment) => segment?.sink ?? []);
    const wasUsed = this.#hasSpoken;
    this.abandon();
    if (pending.length === 0 && wasUsed) this.#dial();
    for (const sink of pending) sink.failed(error);
  }

  #forget(): void {
    this.#socket = undefined;
    this.#waiting = undefined;
    this.#turn = undefined;
  }
}
