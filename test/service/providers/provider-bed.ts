import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../../base/audio/wav.ts';
import { startAnthropicEmulator } from '../../providers/anthropic/messages-emulator.ts';
import { messageText } from '../../providers/anthropic/messages-script.ts';
import { startCartesiaEmulator } from '../../providers/cartesia/voice-emulator.ts';
import { startDeepgramEmulator } from '../../providers/deepgram/emulator.ts';
import { turnInfo } from '../../providers/deepgram/flux-listen.ts';
import type { ListenScript } from '../../providers/deepgram/listen.ts';
import { results } from '../../providers/deepgram/listen-messages.ts';
import { startScribeEmulator } from '../../providers/elevenlabs/scribe-emulator.ts';
import { startElevenLabsEmulator } from '../../providers/elevenlabs/voice-emulator.ts';
import { startOpenAiEmulator } from '../../providers/openai/chat-emulator.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { startOpenAiRealtimeEmulator } from '../../providers/openai/realtime-emulator.ts';
import { startResponsesEmulator } from '../../providers/openai/responses-emulator.ts';
import { responseText } from '../../providers/openai/responses-script.ts';
import { startOpenAiSpeechEmulator } from '../../providers/openai/speech-emulator.ts';
import { startOpenAiTranscriptionEmulator } from '../../providers/openai/transcription-emulator.ts';
import { startProviderFront } from '../../providers/provider-front.ts';
import type { CommitScript } from '../../providers/socket/transcriber-script.ts';
import type { SpeakAnswer } from '../../providers/speech/speak-answer.ts';
import { toneBytes } from '../../providers/speech/tone-speech.ts';
import type { StreamAnswer } from '../../providers/stream/stream-script.ts';
import { heardLine } from '../rig/emulated-providers.ts';

/** The transcript of every caller. */
export const QUESTION = 'Who are you?';
/** A transcriber or model with this in its name fails during its work. */
export const DYING = 'dying';
/** Position of the user's words in the audio, ms. */
const QUESTION_TIMES = { startMs: 60, endMs: 360 };

/** Providers of chat completions. All use the same server, except Azure with its own paths and key. */
const COMPATIBLE = ['GEMINI', 'GROQ', 'MISTRAL', 'TOGETHER', 'OLLAMA', 'VLLM', 'LLAMACPP', 'OPENAI_COMPATIBLE'];

export interface ProviderBed {
  readonly environment: Record<string, string>;
  /** All texts requested from this voice, in any call; for Deepgram, Aura. */
  textsOf(voice: 'deepgram' | 'openai'): readonly string[];
  close(): Promise<void>;
}

/** The agent's answer in the call whose prompt contains this word. Both halves of the answer contain it. */
export function answerOf(word: string): string {
  return `I am ${word} and only ${word}.`;
}

/**
 * Emulators of every provider in the registry. Transcribers return `QUESTION`, models answer with `answerOf`. A voice fails
 * after the first audio of each text that contains its word in `failingWords`.
 */
export async function startProviderBed(failingWords: ReadonlyMap<string, string>): Promise<ProviderBed> {
  const speak = (voice: string) => speaking(failingWords.get(voice) ?? '\0');
  const opened = new Map<string, number>();
  /** Number of earlier streams of this model. The first stream of a failing model sends some words, later ones nothing. */
  const openedBefore = (model: string) => {
    const before = opened.get(model) ?? 0;
    opened.set(model, before + 1);
    return before;
  };
  const hear = (_nth: number, model: string) => commitScript(model.includes(DYING), openedBefore(model));
  const chat = await startOpenAiEmulator(answering(textAnswer));
  const azure = await startOpenAiEmulator(answering(textAnswer), {
    path: '/openai/v1/chat/completions',
    keyHeader: 'api-key',
  });
  const responses = await startResponsesEmulator(answering(responseText));
  const anthropic = await startAnthropicEmulator(answering(messageText));
  const deepgram = await startDeepgramEmulator({
    listen: (query) => listenScript(query.get('model') ?? '', openedBefore(query.get('model') ?? '')),
    speak: (text) => speak(/flux/.test(text) ? 'deepgram flux' : 'deepgram')(text),
  });
  const realtime = await startOpenAiRealtimeEmulator({ hear });
  const utterances = await startOpenAiTranscriptionEmulator(({ model }) =>
    model.includes(DYING) ? { type: 'cut' } : { type: 'text', text: QUESTION },
  );
  const scribe = await startScribeEmulator({ hear });
  const speech = await startOpenAiSpeechEmulator(({ input }) => speak('openai')(input));
  const localSpeech = await startOpenAiSpeechEmulator(({ input }) => speak('openai-compatible')(input));
  const multiContext = await startElevenLabsEmulator({ speak: speak('elevenlabs') });
  const cartesia = await startCartesiaEmulator({ speak: speak('cartesia') });
  const espeak = await startEspeakProgram(failingWords.get('espeak') ?? 'no-such-word');
  const openai = await startProviderFront([
    routeTo(chat, '/v1/chat/completions'),
    routeTo(responses, '/v1/responses'),
    routeTo(realtime, '/v1/realtime'),
    routeTo(speech, '/v1/audio/speech'),
    routeTo(speech, '/v1/models'),
  ]);
  const elevenLabs = await startProviderFront([
    routeTo(multiContext, '/v1/text-to-speech'),
    routeTo(scribe, '/v1/speech-to-text'),
  ]);
  const servers = [chat, azure, responses, anthropic, deepgram, realtime, utterances, scribe, speech, localSpeech];
  return {
    environment: {
      ...access('OPENAI', openai.apiKey, `${openai.origin}/v1`),
      ...access('ANTHROPIC', anthropic.apiKey, anthropic.baseUrl),
      ...access('AZURE', azure.apiKey, azure.origin),
      ...Object.assign({}, ...COMPATIBLE.map((prefix) => access(prefix, chat.apiKey, chat.baseUrl))),
      ...access('DEEPGRAM', deepgram.apiKey, deepgram.baseUrl),
      ...access('OPENAI_TRANSCRIPTION', utterances.apiKey, utterances.baseUrl),
      ...access('OPENAI_SPEECH', localSpeech.apiKey, localSpeech.baseUrl),
      ...access('ELEVENLABS', elevenLabs.apiKey, elevenLabs.origin),
      ...access('CARTESIA', cartesia.apiKey, cartesia.baseUrl),
      ESPEAK_PATH: espeak.path,
    },
    textsOf: (voice) =>
      voice === 'openai' ? speech.requests.map(({ input }) => input) : deepgram.speaks.flatMap(({ texts }) => texts),
    close: async () => {
      for (const server of [openai, elevenLabs, multiContext, cartesia, ...servers]) await server.close();
      await espeak.close();
    },
  };
}

/** The variables that configure the provider. */
function access(prefix: string, apiKey: string, baseUrl: string) {
  return { [`${prefix}_API_KEY`]: apiKey, [`${prefix}_BASE_URL`]: baseUrl };
}

/** The route of a provider front to an emulator. */
function routeTo({ apiKey, baseUrl }: { readonly apiKey: string; readonly baseUrl: string }, path: string) {
  return { path, origin: new URL(baseUrl).origin, apiKey };
}

/** The script of a voice that fails after the first audio of each text with this word. */
function speaking(failingWord: string): (text: string) => SpeakAnswer {
  return (text) => (text.includes(failingWord) ? { breakBy: 'close', breakAfterChunks: 1 } : {});
}

/** The script of a model that answers with `answerOf`, in the format that `textOf` gives. */
function answering(textOf: (text: string) => StreamAnswer): (body: { readonly model: string }) => StreamAnswer {
  return (body) => {
    const answer = textOf(answerOf(/call-of-([a-z]+)/.exec(JSON.stringify(body))?.[1] ?? 'nobody'));
    // A failing model sends some words and closes the connection.
    return body.model.includes(DYING) ? { ...answer, steps: [...answer.steps.slice(0, 4), { type: 'reset' }] } : answer;
  };
}

function listenScript(model: string, before: number): ListenScript {
  const isFlux = model.startsWith('flux-');
  if (model.includes(DYING)) {
    if (before > 0) return { steps: [{ audioMs: 1, action: { type: 'reset' } }] };
    const times = { startMs: 60, endMs: 220 };
    const message = isFlux ? turnInfo('StartOfTurn', 'Who', { ...times, timed: true }) : results('Who', times);
    return {
      steps: [
        { audioMs: 240, action: { type: 'send', message } },
        { audioMs: 320, action: { type: 'reset' } },
      ],
    };
  }
  if (!isFlux) return { steps: heardLine(QUESTION, QUESTION_TIMES.startMs, QUESTION_TIMES.endMs) };
  const turn = (event: string) => ({
    type: 'send' as const,
    message: turnInfo(event, QUESTION, { ...QUESTION_TIMES, timed: true }),
  });
  return {
    steps: [
      { audioMs: QUESTION_TIMES.endMs, action: turn('StartOfTurn') },
      { audioMs: QUESTION_TIMES.endMs + 300, action: turn('EndOfTurn') },
    ],
  };
}

function commitScript(isDying: boolean, before: number): CommitScript {
  const words = (audioMs: number, text: string) => ({ audioMs, action: { type: 'words', text } }) as const;
  const fail = (audioMs: number) => ({ audioMs, action: { type: 'reset' } }) as const;
  if (isDying) return { steps: before > 0 ? [fail(1)] : [words(240, 'Who'), fail(320)] };
  let isSent = false;
  const final = () => {
    const text = isSent ? '' : QUESTION;
    isSent = true;
    return text;
  };
  return { steps: [words(QUESTION_TIMES.endMs, QUESTION)], final };
}

/** A program that replaces espeak-ng: it writes half a second of a tone, or fails after part of it. */
async function startEspeakProgram(failingWord: string) {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-espeak-'));
  const [wav, path] = [join(folder, 'tone.wav'), join(folder, 'speak')];
  const format = { encoding: 'linear16', sampleRateHz: 22_050 } as const;
  await writeFile(wav, encodeWav({ format, channels: 1, data: toneBytes('linear16', 22_050, 500) }));
  const script = `#!/bin/sh\ncase "$(cat)" in\n*${failingWord}*) head -c 8000 '${wav}'; exit 1 ;;\n*) exec cat '${wav}' ;;\nesac\n`;
  await writeFile(path, script);
  await chmod(path, 0o755);
  return { path, close: () => rm(folder, { recursive: true, force: true }) };
}
