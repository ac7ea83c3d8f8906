import { bytesPerSample } from '../../engine/ports/audio-format.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type {
  Transcriber,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberStream,
  TranscriberTraits,
} from '../../engine/ports/transcriber.ts';
import { providerFailure } from '../provider-failure.ts';
import { decodeListenMessage } from './listen-message.ts';
import { listenQuery } from './listen-query.ts';
import { ListenTimeline } from './listen-timeline.ts';
import { PendingAudio } from './pending-audio.ts';
import { type DeepgramAccess, DeepgramSocket } from './socket.ts';

export interface DeepgramTranscriberDeadlines {
  /** Dial → open. */
  readonly openMs: number;
  /** How often a stream is looked after: KeepAlive where no audio went out since, and a ping. */
  readonly careMs: number;
}

/**
 * A call that has waited 5 s for its ears is lost anyway. Care comes often enough that a peer gone silent is found out
 * within 6 s, and far inside the 10 s after which the provider closes a stream that nobody writes to.
 */
const DEADLINES: DeepgramTranscriberDeadlines = { openMs: 5_000, careMs: 2_000 };
/** Pings left unanswered before the peer counts as gone. */
const UNANSWERED_PINGS_MAX = 2;
/** Audio that the network has not taken; more means that the words would come too late to be of use. */
const UNSENT_MS_MAX = 10_000;

/** As published for nova-3, streaming: end of speech → final, 99th percentile. */
const TRAITS: TranscriberTraits = { nativeTurns: false, finalP99Ms: 326 };

/** Deepgram's listen v1 (nova models) as a transcriber: one WebSocket a stream, never redialled. */
export function createDeepgramTranscriber(
  access: DeepgramAccess,
  deadlines: DeepgramTranscriberDeadlines = DEADLINES,
): Transcriber {
  return {
    traits: TRAITS,
    open: (options, emit) => new ListenStream(access, options, deadlines, emit),
  };
}

class ListenStream implements TranscriberStream {
  readonly #socket: DeepgramSocket;
  readonly #pending: PendingAudio;
  readonly #unsentBytesMax: number;
  readonly #care: NodeJS.Timeout;
  #emit: ((event: TranscriberEvent) => void) | undefined;
  /** Closed or failed: nothing is sent or taken in. */
  #ended = false;
  #timeline = new ListenTimeline(0);
  #audioSentSinceCare = false;
  #finalizeWhenOpen = false;
  #unansweredPings = 0;

  constructor(
    access: DeepgramAccess,
    options: TranscriberOptions,
    deadlines: DeepgramTranscriberDeadlines,
    emit: (event: TranscriberEvent) => void,
  ) {
    this.#emit = emit;
    this.#pending = new PendingAudio(options.format);
    this.#unsentBytesMax = (UNSENT_MS_MAX * bytesPerSample(options.format) * options.format.sampleRateHz) / 1000;
    this.#care = setInterval(() => this.#lookAfter(), deadlines.careMs);
    this.#socket = new DeepgramSocket(access, '/v1/listen', listenQuery(options), deadlines.openMs, {
      onOpen: () => this.#opened(),
      onText: (text) => this.#received(text),
      // The protocol sends no binary to the client.
      onBinary: () => this.#fail(providerFailure('deepgram', 'malformed', 'unexpected binary message')),
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
    if (this.#socket.bufferedBytes > this.#unsentBytesMax) {
      this.#fail(providerFailure('deepgram', 'timeout', `the provider takes no audio (${UNSENT_MS_MAX} ms unsent)`));
      return;
    }
    this.#audioSentSinceCare = true;
    this.#socket.sendBinary(audio);
  }

  finalize(): void {
    if (this.#ended) return;
    if (this.#socket.isOpen) this.#socket.sendJson({ type: 'Finalize' });
    else this.#finalizeWhenOpen = true;
  }

  close(): void {
    this.#ended = true;
    this.#emit = undefined;
    clearInterval(this.#care);
    this.#socket.close({ type: 'CloseStream' });
  }

  #opened(): void {
    this.#timeline = new ListenTimeline(this.#pending.droppedMs);
    const kept = this.#pending.take();
    if (kept.length > 0) this.#socket.sendBinary(kept);
    if (this.#finalizeWhenOpen) this.#socket.sendJson({ type: 'Finalize' });
    this.#emit?.({ type: 'ready' });
  }

  #received(text: string): void {
    this.#unansweredPings = 0;
    const message = decodeListenMessage(text);
    switch (message.type) {
      case 'ignored':
        return;
      case 'malformed':
        this.#fail(providerFailure('deepgram', 'malformed', 'a message that the listen protocol does not have'));
        return;
      case 'Error':
        this.#fail(providerFailure('deepgram', 'unavailable', 'the provider told an error in mid-stream'));
        return;
      default: {
        const event = this.#timeline.eventOf(message);
        if (event !== undefined) this.#emit?.(event);
      }
    }
  }

  #lookAfter(): void {
    if (!this.#socket.isOpen) return;
    if (this.#unansweredPings >= UNANSWERED_PINGS_MAX) {
      this.#fail(providerFailure('deepgram', 'timeout', 'the provider no longer answers'));
      return;
    }
    if (!this.#audioSentSinceCare) this.#socket.sendJson({ type: 'KeepAlive' });
    this.#audioSentSinceCare = false;
    this.#unansweredPings++;
    this.#socket.ping();
  }

  /** Told on a later turn of the event loop, since `write` can find it out; `close` in between takes it back. */
  #fail(error: ProviderError): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#care);
    this.#socket.abandon();
    setImmediate(() => {
      const emit = this.#emit;
      this.#emit = undefined;
      emit?.({ type: 'failed', error });
    });
  }
}
