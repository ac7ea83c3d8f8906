import { linearSamples } from '../../base/audio/linear-samples.ts';
import { primaryLanguage } from '../../base/text/primary-language.ts';
import type { Transcriber, TranscriberOptions, TranscriberTraits } from '../../engine/ports/transcriber.ts';
import { PushResampler } from '../audio/push-resampler.ts';
import { ProviderSocket } from '../provider-socket/provider-socket.ts';
import { createCommittingTranscriber } from '../socket-transcriber/committing-transcriber.ts';
import {
  TRANSCRIBER_DEADLINES,
  type TranscriberDeadlines,
  type TranscriberProtocol,
} from '../socket-transcriber/socket-transcriber.ts';
import type { SpeechCommits } from '../socket-transcriber/speech-commits.ts';
import { HANGOVER_MS } from '../utterances/speech-gate.ts';
import { RealtimeItems } from './realtime-items.ts';

/** The provider's recommendation; it has announced the end of its older models for 2027-02-26. */
const DEFAULT_MODEL = 'gpt-live-transcribe';
/** Models that accept expected words as a list; earlier models accept a text, or nothing. */
const TAKES_KEYWORDS = /^gpt-(live-)?transcribe/;
const TAKES_PROMPT = /^(whisper-1|gpt-4o(-mini)?-transcribe)(?!-diarize)/;
/** The only PCM rate that the provider accepts. Unit: Hz. */
const RATE_HZ = 24_000;
/** An incomplete piece is sent before each commit, so that no final waits for it. Unit: ms. */
const PIECE_MS = 100;
/** The provider documents no bound for expected words; this is the size of a Whisper prompt. */
const KEYWORDS_MAX = 100;

/**
 * Published for gpt-4o-transcribe, streaming (end of speech → final, 99th percentile), plus the silence before our
 * commit. Nothing is published for later models.
 */
const TRAITS: TranscriberTraits = { detectsTurns: false, punctuates: true, finalP99Ms: 1_655 + HANGOVER_MS };

export interface RealtimeAccess {
  readonly provider: string;
  /** With the version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * OpenAI's realtime transcription (https://developers.openai.com/api/docs/guides/realtime-transcription) as a
 * transcriber. The recommended model has no voice activity detection on the server; committed audio becomes final.
 * The adapter therefore detects the pauses, for every model alike. Interim words as they arrive; finals without word
 * times.
 *
 * The socket is our own over `ws`: the SDK (openai 7.55) reaches no server without TLS (docs/adr/0006-official-sdks.md). Tests
 * use the SDK as the client that checks the emulator.
 */
export function createRealtimeTranscriber(
  access: RealtimeAccess,
  deadlines: TranscriberDeadlines = TRANSCRIBER_DEADLINES,
): Transcriber {
  return createCommittingTranscriber(TRAITS, deadlines, (options, commits) => protocolOf(access, options, commits));
}

function protocolOf(
  { apiKey, baseUrl, provider }: RealtimeAccess,
  options: TranscriberOptions,
  commits: SpeechCommits,
): TranscriberProtocol {
  const { format } = options;
  const resampler = format.sampleRateHz === RATE_HZ ? undefined : new PushResampler(format.sampleRateHz, RATE_HZ);
  return {
    provider,
    connect: (openMsMax, events) =>
      new ProviderSocket(
        {
          provider,
          baseUrl,
          path: '/realtime',
          query: new URLSearchParams({ intent: 'transcription' }),
          headers: { Authorization: `Bearer ${apiKey}` },
          openMsMax,
        },
        events,
      ),
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
          // ISO 639-1: the part before the region.
          language: primaryLanguage(language),
          ...(keywords.length > 0 && TAKES_KEYWORDS.test(model) ? { keywords } : {}),
          ...(keywords.length > 0 && TAKES_PROMPT.test(model) ? { prompt: keywords.join(', ') } : {}),
        },
        turn_detection: null,
      },
    },
  };
}
