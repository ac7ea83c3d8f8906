import {
  type DeepgramEmulator,
  type DeepgramEmulatorOptions,
  startDeepgramEmulator,
} from '../../providers/deepgram/emulator.ts';
import type { ListenScript } from '../../providers/deepgram/listen.ts';
import { results, speechStarted } from '../../providers/deepgram/listen-messages.ts';
import { type ChatBody, type OpenAiEmulator, startOpenAiEmulator } from '../../providers/openai/chat-emulator.ts';
import type { ChatAnswer } from '../../providers/openai/chat-script.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';

export interface EmulatedProviders {
  readonly openai: OpenAiEmulator;
  readonly deepgram: DeepgramEmulator;
  /** Environment variables of a service that uses these providers. */
  readonly environment: Record<string, string>;
  close(): Promise<void>;
}

export interface EmulatedConversation {
  /** The transcript of each caller. */
  readonly listen?: ListenScript;
  readonly chat?: (body: ChatBody, nth: number) => ChatAnswer;
  readonly keepAudio?: boolean;
  /** The transcript of the n-th listen socket; overrides `listen`. */
  readonly listenTo?: (nth: number) => ListenScript;
  readonly speak?: DeepgramEmulatorOptions['speak'];
  readonly refuse?: DeepgramEmulatorOptions['refuse'];
}

/**
 * Emulators of OpenAI and Deepgram. Without a script they transcribe nothing, and the model answers «Very well.».
 */
export async function startEmulatedProviders(conversation: EmulatedConversation = {}): Promise<EmulatedProviders> {
  const openai = await startOpenAiEmulator(conversation.chat ?? (() => textAnswer('Very well.')));
  const deepgram = await startDeepgramEmulator({
    listen: (_query, nth) => conversation.listenTo?.(nth) ?? conversation.listen ?? { steps: [] },
    ...(conversation.speak !== undefined && { speak: conversation.speak }),
    ...(conversation.refuse !== undefined && { refuse: conversation.refuse }),
    ...(conversation.keepAudio === true && { keepAudio: true }),
  });
  return {
    openai,
    deepgram,
    environment: {
      OPENAI_API_KEY: openai.apiKey,
      OPENAI_BASE_URL: openai.baseUrl,
      DEEPGRAM_API_KEY: deepgram.apiKey,
      DEEPGRAM_BASE_URL: deepgram.baseUrl,
    },
    close: async () => {
      await openai.close();
      await deepgram.close();
    },
  };
}

/** One user turn in Deepgram's messages: speech start, an interim, and the final that ends the turn. */
export function heardLine(text: string, startMs: number, endMs: number): ListenScript['steps'] {
  const times = { startMs, endMs };
  return [
    { audioMs: startMs + 100, action: { type: 'send', message: speechStarted(startMs) } },
    { audioMs: endMs - 100, action: { type: 'send', message: results(text, times) } },
    {
      audioMs: endMs + 300,
      action: { type: 'send', message: results(text, { ...times, isFinal: true, speechFinal: true }) },
    },
  ];
}
