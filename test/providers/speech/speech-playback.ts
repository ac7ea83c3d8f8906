import type { WebSocket } from 'ws';
import type { Delays } from '../loopback-server.ts';
import { cutInFrame } from '../socket/half-frame.ts';
import type { SpeakAnswer, SpeakBreak } from './speak-answer.ts';

const CHUNK_BYTES = 4_096;

export interface SpeechListener {
  /** Called before each chunk. False stops the playback: the speech was cancelled. */
  isWanted(): boolean;
  /** `from` and `to`: the chunk's position in the whole audio, 0–1. */
  chunk(bytes: Uint8Array, from: number, to: number): void;
  breaks(by: SpeakBreak): void;
  end(): void;
}

/** Sends the audio of one text chunk by chunk, with the delays and failures of the answer. */
export function playSpeech(answer: SpeakAnswer, audio: Uint8Array, delays: Delays, listener: SpeechListener): void {
  const size = answer.chunkBytes ?? CHUNK_BYTES;
  const step = (nth: number): void => {
    if (!listener.isWanted()) return;
    if (answer.breakBy !== undefined && nth === (answer.breakAfterChunks ?? 0)) {
      listener.breaks(answer.breakBy);
      return;
    }
    const at = nth * size;
    const bytes = audio.subarray(at, at + size);
    if (bytes.length === 0) {
      listener.end();
      return;
    }
    listener.chunk(bytes, at / audio.length, (at + bytes.length) / audio.length);
    delays.after(answer.chunkMs ?? 0, () => step(nth + 1));
  };
  delays.after(answer.firstAudioMs ?? 0, () => step(0));
}

/** Returns true if the socket stays open but silent. */
export function breakSocket(socket: WebSocket, by: SpeakBreak): boolean {
  switch (by) {
    case 'close':
      socket.close(1011);
      return false;
    case 'reset':
      socket.terminate();
      return false;
    case 'half_frame':
      cutInFrame(socket);
      return false;
    case 'malformed':
      socket.send('{"type":');
      return false;
    case 'stall':
      return true;
  }
}
