import { linearSamples } from '../../base/audio/linear-samples.ts';
import type {
  Transcriber,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberTraits,
} from '../../engine/ports/transcriber.ts';
import { CommittingTranscriberStream } from '../socket-transcriber/committing-transcriber.ts';
import {
  TRANSCRIBER_DEADLINES,
  type TranscriberDeadlines,
  type TranscriberProtocol,
} from '../socket-transcriber/socket-transcriber.ts';
import { SpeechCommits } from '../socket-transcriber/speech-commits.ts';
import { HANGOVER_MS } from '../utterances/speech-gate.ts';
import { decodeScribeMessage } from './scribe-message.ts';

const DEFAULT_MODEL = 'scribe_v2_realtime';
/** What waits for a whole piece goes out before each commit: no final waits for it. Unit: ms. */
const PIECE_MS = 100;
/** The provider's bounds for words to expect. */
const KEYTERMS_MAX = 50;
const KEYTERM_CHARACTERS_MAX = 20;

/** As published for scribe v2 realtime: end of speech → final, 99th percentile; and the silence that we commit after. */
const TRAITS: TranscriberTraits = { detectsTurns: false, finalP99Ms: 407 + HANGOVER_MS };

export interface ScribeAccess {
  /** http(s) or ws(s), without a path: `https://api.elevenlabs.io`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * ElevenLabs' realtime speech to text (https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime)
 * as a transcriber. What was said is committed here (`commit_strategy=manual`): its own detection waits for 300 ms of
 * silence at least, as we do, and tells no time, so that by our own pauses each final lies where it was spoken.
 *
 * The socket is our own over `ws`: the SDK (elevenlabs-js 2.73) loses the status and `Retry-After` of a refused upgrade,
 * and throws out of a handler at a message that is no JSON. It serves the tests, as the client that proves the emulator.
 */
export function createScribeTranscriber(
  access: ScribeAccess,
  deadlines: TranscriberDeadlines = TRANSCRIBER_DEADLINES,
): Transcriber {
  return {
    traitsOf: () => TRAITS,
    open: (options, emit) => {
      const commits = new SpeechCommits(options.format);
      return new CommittingTranscriberStream(protocolOf(access, options, commits), commits, deadlines, emit);
    },
  };
}

function protocolOf(
  { apiKey, baseUrl }: ScribeAccess,
  options: TranscriberOptions,
  commits: SpeechCommits,
): TranscriberProtocol {
  const { format } = options;
  const chunk = (audio: Buffer, commit: boolean) => ({
    message_type: 'input_audio_chunk',
    audio_base_64: audio.toString('base64'),
    commit,
    sample_rate: format.sampleRateHz,
  });
  return {
    dial: {
      provider: 'elevenlabs',
      baseUrl,
      path: '/v1/speech-to-text/realtime',
      query: queryOf(options),
      headers: { 'xi-api-key': apiKey },
    },
    format,
    audioMessage: (audio) => chunk(taken(options, audio), false),
    pieceMs: PIECE_MS,
    whileIdle: { type: 'silence' },
    finalize: chunk(Buffer.alloc(0), true),
    isOverdue: () => commits.isOverdue,
    reader: () => (text) => eventsOf(text, commits),
  };
}

/** The provider knows mu-law and PCM; A-law is given as PCM. */
function taken({ format }: TranscriberOptions, audio: Uint8Array): Buffer {
  if (format.encoding !== 'alaw') return Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength);
  return Buffer.from(linearSamples(format, audio).buffer);
}

function queryOf({ format, language, model = DEFAULT_MODEL, vocabulary }: TranscriberOptions): URLSearchParams {
  const query = new URLSearchParams({
    model_id: model,
    audio_format: format.encoding === 'mulaw' ? 'ulaw_8000' : `pcm_${format.sampleRateHz}`,
    // ISO 639-1: what is before the region.
    language_code: language.split('-', 1)[0] ?? language,
    commit_strategy: 'manual',
  });
  const terms = vocabulary.filter((term) => term.length <= KEYTERM_CHARACTERS_MAX).slice(0, KEYTERMS_MAX);
  for (const term of terms) query.append('keyterms', term);
  return query;
}

/** What is committed is made final in the order in which it was; the words before that belong to what comes next. */
function eventsOf(text: string, commits: SpeechCommits): readonly TranscriberEvent[] {
  const message = decodeScribeMessage(text);
  switch (message.type) {
    case 'ignored':
      return [];
    case 'failed':
      return [message];
    case 'partial': {
      const span = message.text === '' ? null : commits.spanOf();
      if (span === null) return [];
      return [{ type: 'interim', text: message.text, startMs: span.startMs, endMs: span.endMs }];
    }
    case 'committed':
    case 'throttled':
      return commits
        .settle(message.type === 'committed' ? message.text : '')
        .map((said) => ({ type: 'final', words: [], endOfTurn: false, ...said }));
  }
}
