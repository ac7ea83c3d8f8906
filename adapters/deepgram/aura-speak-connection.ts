import type { ProviderError } from '../../engine/ports/provider-error.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { VoiceDeadlines } from '../segmented-voice/segment-queue.ts';
import { decodeSpeakMessage } from './aura-speak-message.ts';
import { type CreateConnection, type DeepgramAccess, DeepgramSocket } from './socket.ts';

/**
 * The provider accepts 20 flushes in 60 s on one socket (https://developers.deepgram.com/docs/tts-ws-flush). It
 * ignores further ones, so their segments would never be spoken.
 */
const FLUSHES_PER_WINDOW_MAX = 20;
const FLUSH_WINDOW_MS = 60_000;

/**
 * Characters of one `Speak`; the provider refuses more. A longer text goes in several messages before its one
 * `Flush`.
 */
const SPEAK_CHARACTERS_MAX = 2_000;
const SPEAKABLE = new RegExp(`[^]{1,${SPEAK_CHARACTERS_MAX}}(?!\\S)|[^]{1,${SPEAK_CHARACTERS_MAX}}`, 'gu');

export interface SpeakConnectionEvents {
  onAudio(segment: number, audio: Uint8Array): void;
  onDone(segment: number): void;
  /** The connection is lost, and these segments fail with it. Called once. */
  onLost(segments: readonly number[], error: ProviderError): void;
}

interface SpeakRequest {
  readonly segment: number;
  readonly text: string;
}

/** One speak v1 socket: segments go in, and their audio comes out in the same order. */
export class SpeakConnection {
  /** Also bounds the wait for `Cleared`. */
  readonly #deadlines: VoiceDeadlines;
  readonly #events: SpeakConnectionEvents;
  readonly #socket: DeepgramSocket;
  /** Requested and not ended, in order. Segments from before the socket is open are sent when it opens. */
  #pending: SpeakRequest[] = [];
  #audioBegan = false;
  #lastSequenceId: number | undefined;
  /** `Clear` messages without their `Cleared`. Audio that arrives before belongs to dropped segments. */
  #clearsOutstanding = 0;
  /** Times at which the flushes of the window were sent: monotonic, in ms. */
  #flushesAtMs: number[] = [];
  #deadline: NodeJS.Timeout | undefined;
  #isGone = false;

  constructor(
    access: DeepgramAccess,
    create: CreateConnection,
    deadlines: VoiceDeadlines,
    events: SpeakConnectionEvents,
  ) {
    this.#deadlines = deadlines;
    this.#events = events;
    this.#socket = new DeepgramSocket(access, create, deadlines.firstAudioMs, {
      onOpen: () => this.#opened(),
      onText: (text) => this.#received(text),
      onBinary: (bytes) => this.#audio(bytes),
      onPong: () => undefined,
      onLost: (error) => this.#lost(error),
    });
  }

  get isIdle(): boolean {
    return this.#pending.length === 0;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get hasSpoken(): boolean {
    return this.#flushesAtMs.length > 0;
  }

  /** Segments that the provider's limit still allows in this window. */
  get segmentsLeft(): number {
    const windowStartMs = performance.now() - FLUSH_WINDOW_MS;
    this.#flushesAtMs = this.#flushesAtMs.filter((atMs) => atMs > windowStartMs);
    return FLUSHES_PER_WINDOW_MAX - this.#flushesAtMs.length;
  }

  speak(segment: number, text: string): void {
    const request = { segment, text };
    this.#pending.push(request);
    this.#flushesAtMs.push(performance.now());
    if (this.#socket.isOpen) this.#send(request);
    if (this.#pending.length === 1 && this.#clearsOutstanding === 0) this.#startDeadline(this.#deadlines.firstAudioMs);
  }

  /** After this call, the requested segments emit nothing. */
  cancel(): void {
    if (this.#pending.length === 0) return;
    this.#pending = [];
    this.#audioBegan = false;
    if (!this.#socket.isOpen) {
      clearTimeout(this.#deadline);
      return;
    }
    this.#socket.sendJson({ type: 'Clear' });
    this.#clearsOutstanding++;
    this.#startDeadline(this.#deadlines.stallMs);
  }

  close(): void {
    this.#isGone = true;
    clearTimeout(this.#deadline);
    this.#socket.close({ type: 'Close' });
  }

  #send(request: SpeakRequest): void {
    for (const text of speakTexts(request.text)) this.#socket.sendJson({ type: 'Speak', text });
    this.#socket.sendJson({ type: 'Flush' });
  }

  #opened(): void {
    for (const request of this.#pending) this.#send(request);
  }

  #audio(bytes: Uint8Array): void {
    const head = this.#pending[0];
    if (this.#clearsOutstanding > 0 || head === undefined || bytes.length === 0) return;
    this.#audioBegan = true;
    this.#startDeadline(this.#deadlines.stallMs);
    this.#events.onAudio(head.segment, bytes);
  }

  #received(text: string): void {
    const message = decodeSpeakMessage(text);
    switch (message.type) {
      case 'ignored':
        return;
      case 'malformed':
        this.#lost(providerFailure('deepgram', 'malformed', 'unexpected message on the speak socket'));
        return;
      case 'Cleared':
        if (this.#clearsOutstanding > 0) this.#clearsOutstanding--;
        if (this.#clearsOutstanding === 0) this.#startNextDeadline();
        return;
      case 'Flushed':
        this.#flushed(message.sequenceId);
    }
  }

  /** The number of the previous flush, without audio since, is a repetition and not the end of the next segment. */
  #flushed(sequenceId: number | undefined): void {
    const repeated = !this.#audioBegan && sequenceId !== undefined && sequenceId === this.#lastSequenceId;
    if (this.#clearsOutstanding > 0 || repeated) return;
    this.#lastSequenceId = sequenceId;
    const done = this.#pending.shift();
    if (done === undefined) return;
    this.#audioBegan = false;
    this.#startNextDeadline();
    this.#events.onDone(done.segment);
  }

  #startNextDeadline(): void {
    if (this.#pending.length > 0) this.#startDeadline(this.#deadlines.firstAudioMs);
    else clearTimeout(this.#deadline);
  }

  #startDeadline(ms: number): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => {
      this.#lost(providerFailure('deepgram', 'timeout', `the voice sent nothing for ${ms} ms`));
    }, ms);
  }

  #lost(error: ProviderError): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#deadline);
    this.#socket.abandon();
    const segments = this.#pending.map(({ segment }) => segment);
    this.#pending = [];
    this.#events.onLost(segments, error);
  }
}

/** Splits between words if there are any; the joined pieces equal the text. */
function speakTexts(text: string): readonly string[] {
  return text.match(SPEAKABLE) ?? [];
}
