import { linearSamples } from '../../base/audio/linear-samples.ts';
import { primaryLanguage } from '../../base/text/primary-language.ts';
import type {
  Transcriber,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberTraits,
} from '../../engine/ports/transcriber.ts';
import { ProviderSocket } from '../provider-socket/provider-socket.ts';
import { createCommittingTranscriber } from '../socket-transcriber/committing-transcriber.ts';
import {
  TRANSCRIBER_DEADLINES,
  type TranscriberDeadlines,
  type TranscriberProtocol,
} from '../socket-transcriber/socket-transcriber.ts';
import type { SpeechCommits } from '../socket-transcriber/speech-commits.ts';
import { HANGOVER_MS } from '../utterances/speech-gate.ts';
import { decodeScribeMessage } from './scribe-message.ts';

const DEFAULT_MODEL = 'scribe_v2_realtime';
/** An incomplete piece is sent before each commit, so that no final waits for it. Unit: ms. */
const PIECE_MS = 100;
/** The provider's bounds for keyterms. */
const KEYTERMS_MAX = 50;
const KEYTERM_CHARACTERS_MAX = 20;

/** Published for scribe v2 realtime (end of speech → final, 99th percentile), plus the silence before our commit. */
const TRAITS: TranscriberTraits = { detectsTurns: false, punctuates: true, finalP99Ms: 407 + HANGOVER_MS };

export interface ScribeAccess {
  /** http(s) or ws(s), without a path: `https://api.elevenlabs.io`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * ElevenLabs' realtime speech to text
 * (https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime) as a transcriber. The adapter
 * commits (`commit_strategy=manual`). The provider's own detection waits for at least 300 ms of silence, as we do,
 * but sends no times. With our own pauses we know where each final was spoken.
 *
 * The socket is our own over `ws`: the SDK (elevenlabs-js 2.73) loses the status and `Retry-After` of a refused
 * upgrade, and throws from a handler at a message that is not JSON. Tests use the SDK as the client that checks the
 * emulator.
 */
export function createScribeTranscriber(
  access: ScribeAccess,
  deadlines: TranscriberDeadlines = TRANSCRIBER_DEADLINES,
): Transcriber {
  return createCommittingTranscriber(TRAITS, deadlines, (options, commits) => protocolOf(access, options, commits));
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
    provider: 'elevenlabs',
    connect: (openMsMax, events) =>
      new ProviderSocket(
        {
          provider: 'elevenlabs',
          baseUrl,
          path: '/v1/speech-to-text/realtime',
          query: queryOf(options),
          headers: { 'xi-api-key': apiKey },
          openMsMax,
        },
        events,
      ),
    format,
    audioMessage: (audio) => chunk(acceptedAudio(options, audio), false),
    pieceMs: PIECE_MS,
    whileIdle: { type: 'silence' },
    finalize: chunk(Buffer.alloc(0), true),
    isOverdue: () => commits.isOverdue,
    reader: () => (text) => eventsOf(text, commits),
  };
}

/** The provider accepts mu-law and PCM; A-law is sent as PCM. */
function acceptedAudio({ format }: TranscriberOptions, audio: Uint8Array): Buffer {
  if (format.encoding !== 'alaw') return Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength);
  return Buffer.from(linearSamples(format, audio).buffer);
}

function queryOf({ format, language, model = DEFAULT_MODEL, vocabulary }: TranscriberOptions): URLSearchParams {
  const query = new URLSearchParams({
    model_id: model,
    audio_format: format.encoding === 'mulaw' ? 'ulaw_8000' : `pcm_${format.sampleRateHz}`,
    // ISO 639-1: the part before the region.
    language_code: primaryLanguage(language),
    commit_strategy: 'manual',
  });
  const terms = vocabulary.filter((term) => term.length <= KEYTERM_CHARACTERS_MAX).slice(0, KEYTERMS_MAX);
  for (const term of terms) query.append('keyterms', term);
  return query;
}

/** Commits become final in their order. Interim words before a final belong to the next commit. */
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
        .map((said) => ({ type: 'final', words: [], ...said }));
  }
}
