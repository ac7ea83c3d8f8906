import type { RawData, WebSocket } from 'ws';
import type { Delays } from '../loopback-server.ts';
import { EMULATED_MS_PER_CHARACTER, type SpeakScript } from '../speech/speak-answer.ts';
import { breakSocket, playSpeech } from '../speech/speech-playback.ts';
import { toneBytes } from '../speech/tone-speech.ts';

/** The messages received on one speak v2 socket. */
export interface FluxSpeakRecord {
  readonly query: URLSearchParams;
  readonly texts: readonly string[];
  /** Types of the messages, in order. */
  readonly controls: readonly string[];
}

interface Turn {
  readonly speechId: string;
  readonly text: string;
  hasAudio: boolean;
  isOver: boolean;
}

/** The provider's end of one speak v2 socket. It speaks one turn at a time; later turns wait. */
export class FluxSpeakSession implements FluxSpeakRecord {
  readonly query: URLSearchParams;
  readonly texts: string[] = [];
  readonly controls: string[] = [];
  readonly #socket: WebSocket;
  readonly #script: SpeakScript;
  readonly #delays: Delays;
  #buffer = '';
  #turns: Turn[] = [];
  #audioMs = 0;
  #stalled = false;

  constructor(socket: WebSocket, query: URLSearchParams, script: SpeakScript, delays: Delays) {
    this.query = query;
    this.#socket = socket;
    this.#script = script;
    this.#delays = delays;
    const model = query.get('model');
    this.#send({ type: 'Connected', request_id: 'emulated', model_name: model, model_version: '1', model_uuids: [] });
    socket.on('message', (data) => this.#received(data));
  }

  #received(data: RawData): void {
    if (this.#stalled) return;
    const message: { type?: unknown; text?: unknown } = JSON.parse(String(data));
    const type = String(message.type);
    this.controls.push(type);
    switch (type) {
      case 'Speak':
        this.#buffer += String(message.text);
        return;
      case 'Flush':
        this.#flush();
        return;
      case 'Interrupt':
        this.#interrupt();
        return;
      case 'Close':
        this.#socket.close(1000);
        return;
      default:
        this.#send({ type: 'Error', code: 'MESSAGE-0000', description: 'no such message' });
        this.#socket.close(1008);
    }
  }

  #flush(): void {
    const speechId = `dg_sp_${String(this.texts.length).padStart(12, '0')}`;
    this.#turns.push({ speechId, text: this.#buffer, hasAudio: false, isOver: false });
    this.texts.push(this.#buffer);
    this.#buffer = '';
    if (this.#turns.length === 1) this.#speak();
  }

  #interrupt(): void {
    const turn = this.#turns[0];
    if (turn === undefined || !turn.hasAudio) {
      const code = turn === undefined ? 'NO_ACTIVE_SPEECH' : 'NO_AUDIO_GENERATED';
      this.#send({ type: 'Warning', code, description: 'the interruption is ignored' });
      return;
    }
    turn.isOver = true;
    this.#turns.shift();
    this.#send({ type: 'SpeechInterrupted', audio_played_ms: this.#audioMs, metadata: this.#metadata(turn) });
    this.#speak();
  }

  #speak(): void {
    const turn = this.#turns[0];
    if (turn === undefined) return;
    const answer = this.#script(turn.text, this.texts.indexOf(turn.text));
    const encoding = this.query.get('encoding') ?? 'linear16';
    const rateHz = Number(this.query.get('sample_rate'));
    const audio = answer.audio ?? toneBytes(encoding, rateHz, turn.text.length * EMULATED_MS_PER_CHARACTER);
    this.#send({ type: 'SpeechStarted', speech_id: turn.speechId });
    playSpeech(answer, audio, this.#delays, {
      isWanted: () => !turn.isOver && !this.#stalled,
      chunk: (bytes) => {
        turn.hasAudio = true;
        this.#audioMs += bytes.length / (rateHz / 1000) / (encoding === 'linear16' ? 2 : 1);
        if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(bytes);
      },
      breaks: (by) => {
        this.#stalled = breakSocket(this.#socket, by);
      },
      end: () => this.#end(turn, answer.doubled ?? false),
    });
  }

  #end(turn: Turn, isDoubled: boolean): void {
    turn.isOver = true;
    this.#turns.shift();
    this.#send({ type: 'Flushed', speech_id: turn.speechId });
    const metadata = { type: 'SpeechMetadata', ...this.#metadata(turn) };
    this.#send(metadata);
    if (isDoubled) this.#send(metadata);
    this.#speak();
  }

  #metadata({ speechId, text }: Turn) {
    return {
      speech_id: speechId,
      audio_duration_ms: text.length * EMULATED_MS_PER_CHARACTER,
      input_character_count: text.length,
      billable_character_count: text.length,
      controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
    };
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
