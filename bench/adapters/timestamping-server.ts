import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { monotonicMs } from '../monotonic-clock.ts';

/**
 * A provider in a separate process. The first word of each response holds two times: when the request was read completely, and
 * when the word was written. The client computes the rest.
 */

/** Between two words: about the pace of a fast model. */
const TOKEN_MS = 5;
const TOKENS = 30;

type Frames = (tokens: readonly string[]) => readonly string[];

const event = (type: string, content: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...content })}\n\n`;

const chatChunk = (delta: object, more: object = { finish_reason: null }): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench',
    service_tier: 'default',
    system_fingerprint: 'fp_bench',
    choices: [{ index: 0, delta, logprobs: null, ...more }],
    usage: null,
    obfuscation: 'mXbUfBy4Aw',
  })}\n\n`;

const chatEnd = (): string =>
  `${chatChunk({}, { finish_reason: 'stop' })}data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench',
    choices: [],
    usage: { prompt_tokens: 10, completion_tokens: TOKENS, total_tokens: 10 + TOKENS },
  })}\n\ndata: [DONE]\n\n`;

/** By path: one frame per token, and a final frame. */
const PROTOCOLS: Readonly<Record<string, Frames>> = {
  '/v1/chat/completions': (tokens) => [...tokens.map((content) => chatChunk({ content })), chatEnd()],
  '/v1/responses': (tokens) => {
    const at = { item_id: 'msg_bench', output_index: 0, content_index: 0 };
    const response = { id: 'resp_bench', object: 'response', status: 'completed', output: [], error: null };
    const usage = { input_tokens: 10, output_tokens: TOKENS, total_tokens: 10 + TOKENS };
    return [
      ...tokens.map((delta) => event('response.output_text.delta', { ...at, delta, logprobs: [], sequence_number: 4 })),
      event('response.completed', { response: { ...response, incomplete_details: null, usage } }),
    ];
  },
  '/v1/messages': (tokens) => {
    const message = { id: 'msg_bench', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 10 } };
    const start = event('message_start', { message });
    const block = event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    return [
      ...tokens.map(
        (text, at) =>
          (at === 0 ? start + block : '') +
          event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      ),
      event('content_block_stop', { index: 0 }) +
        event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: TOKENS } }) +
        event('message_stop', {}),
    ];
  },
};

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.on('end', () => answer(request, response, monotonicMs()));
});

function answer(request: IncomingMessage, response: ServerResponse, readMs: number): void {
  const frames = PROTOCOLS[request.url ?? ''];
  if (frames === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const rest = Array.from({ length: TOKENS - 1 }, (_, at) => ` word${at}`);
  const writing = frames([`${readMs}/${monotonicMs()} `, ...rest]).values();
  const write = (): void => {
    const { value, done } = writing.next();
    if (done) {
      response.end();
      return;
    }
    response.write(value);
    setTimeout(write, TOKEN_MS);
  };
  write();
}

server.listen(0, '127.0.0.1', () => process.send?.({ type: 'ready', address: server.address() }));
process.on('disconnect', () => process.exit(0));
