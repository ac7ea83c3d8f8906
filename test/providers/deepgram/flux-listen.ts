import type { ListenDialect } from './listen.ts';
import type { ListenServerMessage } from './listen-messages.ts';

export interface TurnInfoOptions {
  readonly turn?: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Adds a start and an end to each word. */
  readonly timed?: boolean;
}

/** A `TurnInfo` message. Options are in ms, the message is in seconds. Timed words divide the window evenly. */
export function turnInfo(
  event: string,
  transcript: string,
  { endMs, startMs, timed = false, turn = 0 }: TurnInfoOptions,
): ListenServerMessage {
  const words = transcript.split(/\s+/).filter((word) => word !== '');
  const wordMs = (endMs - startMs) / Math.max(words.length, 1);
  return {
    type: 'TurnInfo',
    request_id: '00000000-0000-4000-8000-000000000000',
    sequence_id: 1,
    event,
    turn_index: turn,
    audio_window_start: startMs / 1000,
    audio_window_end: endMs / 1000,
    transcript,
    words: words.map((word, n) => ({
      word,
      confidence: 0.98,
      ...(timed ? { start: (startMs + n * wordMs) / 1000, end: (startMs + (n + 1) * wordMs) / 1000 } : {}),
    })),
    end_of_turn_confidence: event === 'EndOfTurn' ? 0.9 : 0.1,
    ...(event === 'EndOfTurn' ? { trigger: 'model' } : {}),
  };
}

const CONNECTED = { type: 'Connected', request_id: '00000000-0000-4000-8000-000000000000', sequence_id: 0 };

/** The response to `Configure`. Deepgram repeats the new thresholds in it; our adapter ignores them. */
export function configured(type: 'ConfigureSuccess' | 'ConfigureFailure'): ListenServerMessage {
  const common = { type, request_id: CONNECTED.request_id, sequence_id: 1 };
  return type === 'ConfigureFailure' ? common : { ...common, thresholds: {}, keyterms: [] };
}

/** Listen v2: whole turns, without KeepAlive and Finalize. */
export const LISTEN_V2: ListenDialect = {
  opening: [{ type: 'send', message: CONNECTED }],
  answer: (type, _audioMs, { onFinalize, onConfigure }) => {
    switch (type) {
      case 'ForceEndTurn':
        return onFinalize ?? [];
      case 'Configure':
        return onConfigure ?? [{ type: 'send', message: configured('ConfigureSuccess') }];
      case 'CloseStream':
        return [{ type: 'close', code: 1000, reason: '' }];
      default:
        return null;
    }
  },
};
