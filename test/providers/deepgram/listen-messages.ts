/** Server messages of the listen v1 socket. Options are in ms, the messages are in seconds. */
export interface ResultsOptions {
  readonly startMs: number;
  readonly endMs: number;
  readonly isFinal?: boolean;
  readonly speechFinal?: boolean;
  readonly fromFinalize?: boolean;
}

export type ListenServerMessage = Readonly<Record<string, unknown>>;

/** The words divide the segment's duration evenly. */
export function results(transcript: string, options: ResultsOptions): ListenServerMessage {
  const words = transcript.split(/\s+/).filter((word) => word !== '');
  const wordMs = (options.endMs - options.startMs) / Math.max(words.length, 1);
  return {
    type: 'Results',
    channel_index: [0, 1],
    duration: (options.endMs - options.startMs) / 1000,
    start: options.startMs / 1000,
    is_final: options.isFinal ?? false,
    speech_final: options.speechFinal ?? false,
    ...(options.fromFinalize ? { from_finalize: true } : {}),
    channel: {
      alternatives: [
        {
          transcript,
          confidence: transcript === '' ? 0 : 0.98,
          words: words.map((word, n) => ({
            word: word.toLowerCase().replace(/[^\p{L}\p{N}'-]/gu, ''),
            punctuated_word: word,
            start: (options.startMs + n * wordMs) / 1000,
            end: (options.startMs + (n + 1) * wordMs) / 1000,
            confidence: 0.98,
          })),
        },
      ],
    },
    metadata: {
      request_id: '00000000-0000-4000-8000-000000000000',
      model_info: { name: 'general-nova-3', version: 'emulated', arch: 'nova-3' },
      model_uuid: '00000000-0000-4000-8000-000000000001',
    },
  };
}

export function speechStarted(atMs: number): ListenServerMessage {
  return { type: 'SpeechStarted', channel: [0, 1], timestamp: atMs / 1000 };
}

export function utteranceEnd(lastWordEndMs: number): ListenServerMessage {
  return { type: 'UtteranceEnd', channel: [0, 1], last_word_end: lastWordEndMs / 1000 };
}

/** The last message, sent after `CloseStream`. */
export function metadata(durationMs: number): ListenServerMessage {
  return {
    type: 'Metadata',
    transaction_key: 'deprecated',
    request_id: '00000000-0000-4000-8000-000000000000',
    sha256: '0'.repeat(64),
    created: '2025-01-01T00:00:00.000Z',
    duration: durationMs / 1000,
    channels: 1,
  };
}
