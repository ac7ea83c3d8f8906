import type { RawData, WebSocket } from 'ws';
import { results, speechStarted } from '../../test/providers/deepgram/listen-messages.ts';
import { monotonicMs } from '../monotonic-clock.ts';
import { findMarker } from './audio-marker.ts';
import type { ProviderTurnTimes } from './provider-turn-times.ts';
import { type Script, textOf } from './script.ts';

const BYTES_PER_MS = 8;
/** From the caller's last sample to the final: longer than the pause that the engine waits for at the end of a turn. */
const FINAL_DELAY_MS = 350;

/** The provider's end of one transcriber socket. Markers in the audio identify the turn, and the script has its words. */
export class TranscriberSocket {
  readonly #socket: WebSocket;
  readonly #script: Script;
  readonly #turnTimes: ProviderTurnTimes;
  #bytes = 0;
  #speechStartMs = 0;

  constructor(socket: WebSocket, script: Script, turnTimes: ProviderTurnTimes) {
    this.#socket = socket;
    this.#script = script;
    this.#turnTimes = turnTimes;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!Buffer.isBuffer(data)) return;
    if (isBinary) this.#onAudio(data);
    else this.#onMessage(JSON.parse(data.toString('utf8')).type);
  }

  #onAudio(audio: Buffer): void {
    for (let found = findMarker(audio); found !== null; found = findMarker(audio, found.end)) {
      const { kind, call, turn } = found.marker;
      const atMs = (this.#bytes + found.end) / BYTES_PER_MS;
      if (kind === 'line_begins') {
        this.#speechStartMs = atMs;
        this.#send(speechStarted(atMs));
      } else if (kind === 'line_ends') this.#endSpeech(call, turn, atMs);
    }
    this.#bytes += audio.length;
  }

  #endSpeech(call: number, turn: number, endMs: number): void {
    this.#turnTimes.record(call, turn, 'speechReceivedMs', monotonicMs());
    const text = textOf(this.#script.turns[turn - 1]?.userText ?? '', call);
    const span = { startMs: this.#speechStartMs, endMs };
    const words = results(text, span);
    this.#turnTimes.record(call, turn, 'wordsMs', monotonicMs());
    this.#send(words);
    setTimeout(() => {
      const final = results(text, { ...span, isFinal: true, speechFinal: true });
      this.#turnTimes.record(call, turn, 'finalMs', monotonicMs());
      this.#send(final);
    }, FINAL_DELAY_MS);
  }

  #onMessage(type: string): void {
    const atMs = this.#bytes / BYTES_PER_MS;
    if (type === 'Finalize') this.#send(results('', { startMs: atMs, endMs: atMs, isFinal: true, fromFinalize: true }));
    else if (type === 'CloseStream') this.#socket.close(1000);
  }

  #send(message: object): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
