import type { RawData, WebSocket } from 'ws';
import { monotonicMs } from '../monotonic-clock.ts';
import { FRAME_BYTES, writeMarker } from './audio-marker.ts';
import type { ProviderTurnTimes } from './provider-turn-times.ts';
import { phraseOf, type Script } from './script.ts';

/** From the request to speak to the first audio. */
const FIRST_AUDIO_MS = 100;
/** Characters per 20 ms of audio. Fast speech, so that a benchmark sees many turns. */
const CHARACTERS_PER_FRAME = 1;
const CHUNK_BYTES = 4_096;

/** The place of a phrase in the script. */
interface PhrasePlace {
  readonly turn: number;
  readonly first: boolean;
  readonly last: boolean;
}

/** The provider's end of one voice socket: speaks flushed texts, one after another. */
export class VoiceSocket {
  readonly #socket: WebSocket;
  readonly #places: ReadonlyMap<string, PhrasePlace>;
  readonly #turnTimes: ProviderTurnTimes;
  readonly #onFault: (fault: string) => void;
  /** The script has no interruptions, so a `Clear` is a fault. */
  readonly #neverCleared: boolean;
  #buffer = '';
  #speaking = Promise.resolve();
  /** Incremented by a `Clear`. Texts of an earlier epoch are not spoken. */
  #epoch = 0;
  #sequence = 0;

  constructor(socket: WebSocket, script: Script, turnTimes: ProviderTurnTimes, onFault: (fault: string) => void) {
    this.#socket = socket;
    this.#places = placesOf(script);
    this.#neverCleared = !script.turns.some(({ interrupts }) => interrupts);
    this.#turnTimes = turnTimes;
    this.#onFault = onFault;
    socket.on('message', (data) => this.#take(data));
  }

  #take(data: RawData): void {
    const nowMs = monotonicMs();
    const message: { type?: unknown; text?: unknown } = JSON.parse(String(data));
    if (message.type === 'Speak') this.#buffer += String(message.text);
    else if (message.type === 'Flush') this.#flush(nowMs);
    else if (message.type === 'Close') this.#socket.close(1000);
    else if (message.type === 'Clear') {
      this.#epoch++;
      if (this.#neverCleared) this.#onFault('the service cleared audio without an interruption');
      this.#send({ type: 'Cleared', sequence_id: this.#sequence++ });
    }
  }

  #flush(nowMs: number): void {
    const text = this.#buffer;
    this.#buffer = '';
    const found = phraseOf(text);
    const place = found === null ? undefined : this.#places.get(found.phrase);
    if (found === null || place === undefined)
      this.#onFault(`the voice got a text that is not in the script: «${text}»`);
    const call = found?.call ?? 0;
    if (place?.first) this.#turnTimes.record(call, place.turn, 'voiceRequestMs', nowMs);
    const epoch = this.#epoch;
    this.#speaking = this.#speaking.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, FIRST_AUDIO_MS));
      if (epoch === this.#epoch) this.#speak(text, call, place);
    });
  }

  #speak(text: string, call: number, place: PhrasePlace | undefined): void {
    const audio = speech(Math.ceil(text.length / CHARACTERS_PER_FRAME));
    if (place?.first) writeMarker(audio, 0, { kind: 'answer_begins', turn: place.turn, call });
    if (place?.last) writeMarker(audio, audio.length - FRAME_BYTES, { kind: 'answer_ends', turn: place.turn, call });
    if (place?.first) this.#turnTimes.record(call, place.turn, 'audioMs', monotonicMs());
    for (let at = 0; at < audio.length; at += CHUNK_BYTES) {
      if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(audio.subarray(at, at + CHUNK_BYTES));
    }
    this.#send({ type: 'Flushed', sequence_id: this.#sequence++ });
  }

  #send(message: object): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

/** The place of each phrase of the agent; turn 0 is the greeting. */
function placesOf(script: Script): ReadonlyMap<string, PhrasePlace> {
  const places = new Map<string, PhrasePlace>([[script.greeting, { turn: 0, first: true, last: true }]]);
  script.turns.forEach(({ voiceTexts }, i) => {
    voiceTexts.forEach((phrase, at) => {
      places.set(phrase, { turn: i + 1, first: at === 0, last: at === voiceTexts.length - 1 });
    });
  });
  return places;
}

/** Loud mu-law without a silent sample. */
function speech(frames: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: frames * FRAME_BYTES }, (_, i) => (i * 17) & 0x7f));
}
