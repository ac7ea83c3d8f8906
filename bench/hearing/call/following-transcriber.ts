import type { RawData, WebSocket } from 'ws';
import {
  type ListenServerMessage,
  metadata,
  results,
  speechStarted,
  utteranceEnd,
} from '../../../test/providers/deepgram/listen-messages.ts';
import type { Delays } from '../../../test/providers/loopback-server.ts';
import { FRAME_BYTES, FRAME_MS, type SentAudio, type SentFrames } from './sent-frames.ts';
import type { SpokenWord } from './spoken-line.ts';

/** How an emulated transcriber behaves. */
export interface TranscriberBehaviour {
  /** From the end of the last word to the final. */
  readonly finalMs: number;
  /** From the end of a word to the interim with it; null: no interims. */
  readonly interimMs: number | null;
  /** Only the final of a segment contains its last words. */
  readonly wordsWithoutInterim?: number;
  readonly hasWordTimes?: boolean;
  /** The connection is reset in the middle of this word of the call, once. */
  readonly lostInWord?: number;
  /** After the loss, connections are refused for this long. */
  readonly lostMs?: number;
}

/** Deepgram's `endpointing` and `utterance_end_ms`, as the adapter asks for them. */
const ENDPOINTING_MS = 100;
const UTTERANCE_END_MS = 1_000;
const INTERIM_EVERY_MS = 300;
/** From the begin of speech to its report. */
const SPEECH_MS = 120;
/** A word is recognised if this much of it was received. */
const WORD_SHARE = 0.6;
const BYTES_PER_MS = 8;

/**
 * The provider's end of one listen v1 socket. It recognises the frames that it really receives, and writes down the
 * words that were spoken in them: what is lost on the way is not heard, what is sent twice is heard twice.
 */
export class FollowingTranscriber {
  readonly #socket: WebSocket;
  readonly #behaviour: TranscriberBehaviour;
  readonly #frames: SentFrames;
  readonly #delays: Delays;
  readonly #onLost: () => void;
  #pending = Buffer.alloc(0);
  #bytes = 0;
  #audio: SentAudio | null = null;
  /** Ms of this stream minus ms of the caller's audio. */
  #offsetMs = 0;
  readonly #received = new Set<number>();
  #nextWord = 0;
  #segment: SpokenWord[] = [];
  #segmentStartMs = 0;
  #interimAtMs = 0;
  #interimWords = 0;
  #isSpeaking = false;
  #lastWordEndMs: number | null = null;
  /** When the last message leaves: messages keep their order. */
  #sendsAtMs = 0;

  constructor(options: {
    readonly socket: WebSocket;
    readonly behaviour: TranscriberBehaviour;
    readonly frames: SentFrames;
    readonly delays: Delays;
    readonly onLost: () => void;
  }) {
    this.#socket = options.socket;
    this.#behaviour = options.behaviour;
    this.#frames = options.frames;
    this.#delays = options.delays;
    this.#onLost = options.onLost;
    this.#socket.on('error', () => undefined);
    this.#socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!Buffer.isBuffer(data)) return;
    if (!isBinary) {
      this.#control(String(JSON.parse(data.toString('utf8')).type));
      return;
    }
    this.#pending = Buffer.concat([this.#pending, data]);
    let at = 0;
    while (at + FRAME_BYTES <= this.#pending.length) {
      const frame = this.#frames.find(this.#pending, at);
      if (frame !== undefined) {
        this.#audio ??= frame.audio;
        this.#offsetMs = (this.#bytes + at) / BYTES_PER_MS - frame.index * FRAME_MS;
        this.#received.add(frame.index);
      }
      at += frame === undefined ? 1 : FRAME_BYTES;
    }
    this.#bytes += at;
    this.#pending = this.#pending.subarray(at);
    this.#listen();
  }

  #listen(): void {
    if (this.#audio === null) return;
    const nowMs = this.#bytes / BYTES_PER_MS - this.#offsetMs;
    const { words } = this.#audio;
    for (let word = words[this.#nextWord]; word !== undefined; word = words[this.#nextWord]) {
      if (this.#nextWord === this.#behaviour.lostInWord && nowMs >= (word.startMs + word.endMs) / 2) this.#lose();
      if (!this.#isSpeaking && nowMs >= word.startMs + SPEECH_MS) {
        this.#isSpeaking = true;
        this.#send(speechStarted(word.startMs + this.#offsetMs), 0);
      }
      if (this.#endsSegment(word, nowMs)) this.#final(nowMs);
      if (word.endMs > nowMs) break;
      this.#nextWord++;
      if (this.#hasReceived(word)) this.#take(word);
    }
    this.#interim(nowMs);
    if (this.#endsSegment(words[this.#nextWord], nowMs)) this.#final(nowMs);
    this.#utteranceEnd(words[this.#nextWord], nowMs);
  }

  /** A second without words: `next` does not begin within it. */
  #utteranceEnd(next: SpokenWord | undefined, nowMs: number): void {
    if (this.#lastWordEndMs === null || this.#segment.length > 0) return;
    const silentUntilMs = Math.min(nowMs, next?.startMs ?? nowMs);
    if (silentUntilMs < this.#lastWordEndMs + UTTERANCE_END_MS) return;
    this.#send(utteranceEnd(this.#lastWordEndMs + this.#offsetMs), this.#behaviour.finalMs);
    this.#lastWordEndMs = null;
  }

  #take(word: SpokenWord): void {
    if (this.#segment.length === 0) this.#segmentStartMs = word.startMs;
    this.#segment.push(word);
    this.#lastWordEndMs = word.endMs;
  }

  /** Silence follows the words so far: `next` does not begin soon enough. */
  #endsSegment(next: SpokenWord | undefined, nowMs: number): boolean {
    const last = this.#segment.at(-1);
    if (last === undefined) return false;
    const silentUntilMs = Math.min(nowMs, next?.startMs ?? nowMs);
    return silentUntilMs - last.endMs >= ENDPOINTING_MS;
  }

  #hasReceived({ startMs, endMs }: SpokenWord): boolean {
    const from = Math.floor(startMs / FRAME_MS);
    const to = Math.max(from + 1, Math.ceil(endMs / FRAME_MS));
    let received = 0;
    for (let index = from; index < to; index++) if (this.#received.has(index)) received++;
    return received / (to - from) >= WORD_SHARE;
  }

  #interim(nowMs: number): void {
    const { interimMs, wordsWithoutInterim = 0 } = this.#behaviour;
    const words = this.#segment.slice(0, Math.max(0, this.#segment.length - wordsWithoutInterim));
    if (interimMs === null || words.length <= this.#interimWords || nowMs < this.#interimAtMs + INTERIM_EVERY_MS)
      return;
    this.#interimAtMs = nowMs;
    this.#interimWords = words.length;
    this.#send(this.#resultsOf(words, false), interimMs - (nowMs - (words.at(-1)?.endMs ?? nowMs)));
  }

  #final(nowMs: number): void {
    const words = this.#segment;
    this.#segment = [];
    this.#interimWords = 0;
    this.#isSpeaking = false;
    this.#send(this.#resultsOf(words, true), this.#behaviour.finalMs - (nowMs - (words.at(-1)?.endMs ?? nowMs)));
  }

  #resultsOf(words: readonly SpokenWord[], isFinal: boolean): ListenServerMessage {
    const offsetMs = this.#offsetMs;
    const startMs = this.#segmentStartMs + offsetMs;
    const endMs = (words.at(-1)?.endMs ?? 0) + offsetMs;
    const transcript = words.map(({ text }) => text).join(' ');
    const message = results(transcript, { startMs, endMs, isFinal, speechFinal: isFinal });
    const timed = words.map(({ text, startMs: from, endMs: to }) => ({
      word: text.toLowerCase().replace(/[^\p{L}\p{N}'-]/gu, ''),
      punctuated_word: text,
      start: (from + offsetMs) / 1000,
      end: (to + offsetMs) / 1000,
      confidence: 0.98,
    }));
    const alternative = { transcript, confidence: 0.98, words: this.#behaviour.hasWordTimes === false ? [] : timed };
    return { ...message, channel: { alternatives: [alternative] } };
  }

  #control(type: string): void {
    const atMs = this.#bytes / BYTES_PER_MS;
    if (type === 'Finalize') {
      if (this.#segment.length > 0) this.#final(atMs - this.#offsetMs);
      this.#send(results('', { startMs: atMs, endMs: atMs, isFinal: true, fromFinalize: true }), 0);
    } else if (type === 'CloseStream') {
      this.#send(metadata(atMs), 0);
      this.#socket.close(1000);
    }
  }

  #lose(): void {
    this.#onLost();
    this.#socket.terminate();
  }

  #send(message: ListenServerMessage, delayMs: number): void {
    const nowMs = performance.now();
    this.#sendsAtMs = Math.max(this.#sendsAtMs, nowMs + delayMs);
    const text = JSON.stringify(message);
    this.#delays.after(this.#sendsAtMs - nowMs, () => {
      if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text);
    });
  }
}
