import { linearSamples } from '../../base/audio/linear-samples.ts';
import type { Transcriber, TranscriberOptions, TranscriberTraits } from '../../engine/ports/transcriber.ts';
import { PushResampler } from '../audio/push-resampler.ts';
import { CommittingTranscriberStream } from '../socket-transcriber/committing-transcriber.ts';
import {
  TRANSCRIBER_DEADLINES,
  type TranscriberDeadlines,
  type TranscriberProtocol,
} from '../socket-transcriber/socket-transcriber.ts';
import { SpeechCommits } from '../socket-transcriber/speech-commits.ts';
import { HANGOVER_MS } from '../utterances/speech-gate.ts';
import { RealtimeItems } from './realtime-items.ts';

/** What the provider recommends; its older models are announced to end on 2027-02-26. */
const DEFAULT_MODEL = 'gpt-live-transcribe';
/** Models that take words to expect as a list; those before them take a text, or nothing. */
const TAKES_KEYWORDS = /^gpt-(live-)?transcribe/;
const TAKES_PROMPT = /^(whisper-1|gpt-4o(-mini)?-transcribe)(?!-diarize)/;
/** The only rate that the provider takes of PCM. Unit: Hz. */
const RATE_HZ = 24_000;
/** What waits for a whole piece goes out before each commit: no final waits for it. Unit: ms. */
const PIECE_MS = 100;
/** No bound is documented for words to expect; as many as a Whisper prompt holds. */
const KEYWORDS_MAX = 100;

/**
 * As published for gpt-4o-transcribe, streaming: end of speech → final, 99th percentile; and the silence that we commit after.
 * None is published for the models since.
 */
const TRAITS: TranscriberTraits = { detectsTurns: false, finalP99Ms: 1_655 + HANGOVER_MS };

export interface RealtimeAccess {
  readonly provider: string;
  /** With the version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * OpenAI's realtime transcription (https://developers.openai.com/api/docs/guides/realtime-transcription) as a transcriber.
 * The recommended model knows no voice activity detection of the server's and makes final what is committed, so that the
 * pauses are listened for here, for every model alike. Finals without the times of words; interim words as they are heard.
 *
 * The socket is our own over `ws`: the SDK (openai 7.55) tells a refused upgrade as a sentence without its status, and
 * reaches no server of one's own without TLS. It serves the tests, as the client that proves the emulator.
 */
export function createRealtimeTranscriber(
  access: RealtimeAccess,
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
  { apiKey, baseUrl, provider }: RealtimeAccess,
  options: TranscriberOptions,
  commits: SpeechCommits,
): TranscriberProtocol {
  const { format } = options;
  const resampler = format.sampleRateHz === RATE_HZ ? undefined : new PushResampler(format.sampleRateHz, RATE_HZ);
  return {
    dial: {
      provider,
      baseUrl,
      path: '/realtime',
      query: new URLSearchParams({ intent: 'transcription' }),
      headers: { Authorization: `Bearer ${apiKey}` },
    },
    format,
    opening: { type: 'session.update', session: sessionOf(options) },
    audioMessage: (audio) => {
      const samples = linearSamples(format, audio);
      const pcm = resampler === undefined ? samples : resampler.take(samples);
      return { type: 'input_audio_buffer.append', audio: Buffer.from(pcm.buffer).toString('base64') };
    },
    ended: () => resampler?.free(),
    pieceMs: PIECE_MS,
    whileIdle: { type: 'silence' },
    finalize: { type: 'input_audio_buffer.commit' },
    isOverdue: () => commits.isOverdue,
    reader: () => {
      const items = new RealtimeItems(provider, commits);
      return (text) => items.eventsOf(text);
    },
  };
}

function sessionOf({ language, model = DEFAULT_MODEL, vocabulary }: TranscriberOptions) {
  const keywords = vocabulary.slice(0, KEYWORDS_MAX);
  return {
    type: 'transcription',
    audio: {
      input: {
        format: { type: 'audio/pcm', rate: RATE_HZ },
        transcription: {
          model,
          // ISO 639-1: what is before the region.
          language: language.split('-', 1)[0] ?? language,
          ...(keywords.length > 0 && TAKES_KEYWORDS.test(model) ? { keywords } : {}),
          ...(keywords.length > 0 && TAKES_PROMPT.test(model) ? { prompt: keywords.join(', ') } : {}),
        },
        turn_detection: null,
      },
    },
  };
}
