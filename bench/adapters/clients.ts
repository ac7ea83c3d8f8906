import { connect, type Socket } from 'node:net';
import { createMessages } from '../../adapters/anthropic/messages.ts';
import { createChatCompletions } from '../../adapters/openai/chat-completions.ts';
import { createResponses } from '../../adapters/openai/responses.ts';
import type { StreamedLanguageModel } from '../../adapters/streamed-model/streamed-language-model.ts';
import type { ModelRequest } from '../../engine/ports/language-model.ts';

/** One client of a language model. `generate` resolves at the end of the response; `onText` gets each piece of text. */
export interface ModelClient {
  readonly name: string;
  generate(onText: (text: string) => void): Promise<void>;
  close(): Promise<void>;
}

/** About the length of a small agent's prompt. */
const PROMPT = 'You answer the phone of a small clinic. '.repeat(50);
const REQUEST: ModelRequest = {
  provider: 'any',
  model: 'bench',
  messages: [
    { role: 'system', content: PROMPT },
    { role: 'assistant', content: 'Hello, how can I help you?' },
    { role: 'user', content: 'I would like to see a doctor tomorrow.' },
  ],
  functions: Array.from({ length: 4 }, (_, at) => ({
    name: `function_${at}`,
    description: 'Looks something up.',
    parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  })),
};

export function clientsOf(port: number): ModelClient[] {
  const origin = `http://127.0.0.1:${port}`;
  const access = { baseUrl: `${origin}/v1`, apiKey: 'bench' };
  return [
    bareSocket(port),
    adapter('openai', createChatCompletions(access)),
    adapter('openai-responses', createResponses(access)),
    adapter('anthropic', createMessages({ ...access, baseUrl: origin })),
  ];
}

function adapter(name: string, model: StreamedLanguageModel): ModelClient {
  return {
    name: `adapter ${name}`,
    generate: (onText) =>
      new Promise((resolve, reject) => {
        model.generate(REQUEST, (event) => {
          if (event.type === 'text') onText(event.text);
          if (event.type === 'done') resolve();
          if (event.type === 'failed') reject(new Error(event.error.message));
        });
      }),
    close: () => model.close(),
  };
}

/** The lower bound: the same bytes over sockets that stay open, searched for the text and the end. */
function bareSocket(port: number): ModelClient {
  const idle: Socket[] = [];
  const body = JSON.stringify({ model: 'bench', messages: REQUEST.messages, tools: REQUEST.functions, stream: true });
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const bytes = Buffer.from(head + body);
  const mark = '"content":"';
  return {
    name: 'bare socket',
    generate: (onText) =>
      new Promise((resolve, reject) => {
        const socket = idle.pop() ?? connect({ port, host: '127.0.0.1', noDelay: true });
        socket.once('error', reject);
        socket.on('data', (chunk: Buffer) => {
          const from = chunk.indexOf(mark);
          if (from !== -1) onText(chunk.toString('latin1', from + mark.length, chunk.indexOf('"', from + mark.length)));
          if (!chunk.subarray(-5).equals(Buffer.from('0\r\n\r\n'))) return;
          socket.removeAllListeners();
          idle.push(socket);
          resolve();
        });
        socket.write(bytes);
      }),
    close: async () => {
      for (const socket of idle) socket.destroy();
    },
  };
}
