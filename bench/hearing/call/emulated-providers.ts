import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { encodeMulaw } from '../../../base/audio/g711.ts';
import { atLevel } from '../../../fixtures/sound/recorded-speech.ts';
import { tone } from '../../../fixtures/sound/synthesis.ts';
import { SpeakSession } from '../../../test/providers/deepgram/speak.ts';
import { Delays, LoopbackServer } from '../../../test/providers/loopback-server.ts';
import { type ChatBody, startOpenAiEmulator } from '../../../test/providers/openai/chat-emulator.ts';
import type { ChatAnswer } from '../../../test/providers/openai/chat-script.ts';
import { EMULATED_MS_PER_CHARACTER, type SpeakAnswer } from '../../../test/providers/speech/speak-answer.ts';
import { EMULATED_VOICE_HZ } from '../../../test/providers/speech/tone-speech.ts';
import { FollowingTranscriber, type TranscriberBehaviour } from './following-transcriber.ts';
import type { SentFrames } from './sent-frames.ts';
import { say } from './spoken-line.ts';

/** The providers of one call. The names of its model, voice and transcriber contain its number. */
export interface CallProviders {
  readonly transcriber: TranscriberBehaviour;
  /** `tone`: without any pause, so that each silence is ours. */
  readonly voice: 'tone' | 'speech';
  readonly language: string;
  readonly answer: (body: ChatBody) => ChatAnswer;
  /** The voice fails from its n-th text on, for this long. */
  readonly voiceFails?: { readonly text: number; readonly forMs: number };
}

/** Delays of the providers: what the market's better ones take. */
const FIRST_AUDIO_MS = 100;
const VOICE_LEVEL_DB = -20;
const API_KEY = 'emulated-deepgram-key';

/** A text that the voice was given, and the length of its audio. */
export interface VoicedText {
  readonly text: string;
  readonly lengthMs: number;
}

/** State of one call at the providers. */
interface ProvidedCall {
  readonly providers: CallProviders;
  lostAtMs: number | null;
  voiceFailsAtMs: number | null;
  texts: number;
  readonly voiced: VoicedText[];
}

/** All providers of all calls, on real sockets. */
export class EmulatedProviders {
  readonly environment: Readonly<Record<string, string>>;
  readonly #calls: Map<number, ProvidedCall>;
  readonly #close: () => Promise<void>;

  static async start(frames: SentFrames): Promise<EmulatedProviders> {
    const calls = new Map<number, ProvidedCall>();
    const openai = await startOpenAiEmulator((body) => callOf(calls, body.model).providers.answer(body));
    const server = await LoopbackServer.listen();
    const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    const delays = new Delays();
    server.http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const url = new URL(request.url ?? '/', server.origin);
      const call = callOf(calls, url.searchParams.get('model') ?? '');
      const isVoice = url.pathname === '/v1/speak';
      if (isVoice ? isVoiceDown(call) : isTranscriberDown(call)) {
        socket.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n');
        return;
      }
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        const { transcriber } = call.providers;
        if (isVoice) new SpeakSession(webSocket, url.searchParams, (text) => speakIn(call, text), delays, 0);
        else {
          const { lostInWord, ...rest } = transcriber;
          const behaviour = call.lostAtMs === null ? transcriber : rest;
          const onLost = () => {
            call.lostAtMs ??= performance.now();
          };
          new FollowingTranscriber({ socket: webSocket, behaviour, frames, delays, onLost });
        }
      });
    });
    const close = async () => {
      delays.clear();
      await openai.close();
      await server.close();
    };
    const environment = {
      OPENAI_API_KEY: openai.apiKey,
      OPENAI_BASE_URL: openai.baseUrl,
      DEEPGRAM_API_KEY: API_KEY,
      DEEPGRAM_BASE_URL: server.origin,
    };
    return new EmulatedProviders(environment, calls, close);
  }

  private constructor(
    environment: Readonly<Record<string, string>>,
    calls: Map<number, ProvidedCall>,
    close: () => Promise<void>,
  ) {
    this.environment = environment;
    this.#calls = calls;
    this.#close = close;
  }

  /** Provides a call, and returns the agent's fields that name its providers. */
  provide(number: number, providers: CallProviders): object {
    this.#calls.set(number, { providers, lostAtMs: null, voiceFailsAtMs: null, texts: 0, voiced: [] });
    return {
      transcriber: { provider: 'deepgram', model: `nova-3-call-${number}` },
      llm: { provider: 'openai', model: `call-${number}` },
      voice: { provider: 'deepgram', name: `aura-2-call-${number}` },
      language: providers.language,
    };
  }

  /** The texts that the voice spoke in this call. */
  voiced(number: number): readonly VoicedText[] {
    return this.#calls.get(number)?.voiced ?? [];
  }

  close(): Promise<void> {
    return this.#close();
  }
}

function callOf(calls: ReadonlyMap<number, ProvidedCall>, model: string): ProvidedCall {
  const call = calls.get(Number(/call-(\d+)/.exec(model)?.[1]));
  if (call === undefined) throw new Error(`no call has the model ${model}`);
  return call;
}

function isTranscriberDown({ lostAtMs, providers }: ProvidedCall): boolean {
  return lostAtMs !== null && performance.now() < lostAtMs + (providers.transcriber.lostMs ?? 0);
}

function isVoiceDown({ voiceFailsAtMs, providers }: ProvidedCall): boolean {
  return voiceFailsAtMs !== null && performance.now() < voiceFailsAtMs + (providers.voiceFails?.forMs ?? 0);
}

function speakIn(call: ProvidedCall, text: string): SpeakAnswer {
  const { voiceFails, voice, language } = call.providers;
  if (voiceFails !== undefined && call.texts++ === voiceFails.text) call.voiceFailsAtMs ??= performance.now();
  if (isVoiceDown(call)) return { breakBy: 'close' };
  const samples =
    voice === 'tone'
      ? tone([EMULATED_VOICE_HZ], text.length * EMULATED_MS_PER_CHARACTER)
      : atLevel(say(text, language, '+f3').samples, VOICE_LEVEL_DB);
  call.voiced.push({ text, lengthMs: samples.length / 8 });
  const audio = new Uint8Array(samples.length);
  encodeMulaw(samples, 0, samples.length, audio);
  return { audio, firstAudioMs: FIRST_AUDIO_MS };
}
