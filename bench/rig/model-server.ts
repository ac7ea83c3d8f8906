import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { type ChatStep, DONE, delta, usageChunk } from '../../test/providers/openai/chat-script.ts';
import { monotonicMs } from '../monotonic-clock.ts';
import type { ProviderTurnTimes } from './provider-turn-times.ts';
import { EXTRACTED_VARIABLE, type ModelStep, phraseOf, type Script, textOf } from './script.ts';

/** Delay of the first token after the request, and between two tokens. */
const FIRST_TOKEN_MS = 150;
const TOKEN_MS = 5;

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content?: string | null }[];
  readonly response_format?: object;
}

/** Streamed chat completions that follow the script. The user's last message selects the turn, the tool results after it the step. */
export class ModelServer {
  readonly #script: Script;
  readonly #turnTimes: ProviderTurnTimes;
  readonly #onFault: (fault: string) => void;

  constructor(script: Script, turnTimes: ProviderTurnTimes, onFault: (fault: string) => void) {
    this.#script = script;
    this.#turnTimes = turnTimes;
    this.#onFault = onFault;
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const nowMs = monotonicMs();
      const text = Buffer.concat(chunks).toString('utf8');
      this.#answer(text, nowMs, response).catch((error: unknown) => {
        this.#onFault(`model: ${String(error)}`);
        response.destroy();
      });
    });
  }

  async #answer(text: string, nowMs: number, response: ServerResponse): Promise<void> {
    const { messages, response_format: format }: ChatBody = JSON.parse(text);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    if (format !== undefined) {
      await after(FIRST_TOKEN_MS);
      const call = phraseOf(text)?.call ?? null;
      write(
        response,
        delta({ role: 'assistant', content: JSON.stringify({ [EXTRACTED_VARIABLE]: call, hours: null }) }),
      );
      end(response, 'stop');
      return;
    }
    const userMessage = messages.findLastIndex(({ role }) => role === 'user');
    const turn = this.#turnOf(messages[userMessage]?.content ?? '');
    const step = turn?.steps[messages.slice(userMessage).filter(({ role }) => role === 'tool').length];
    if (turn === null || step === undefined) throw new Error(`the script has no response to ${text.slice(-300)}`);
    this.#turnTimes.record(turn.call, turn.number, 'modelRequestMs', nowMs);
    await after(FIRST_TOKEN_MS);
    const onSentence = () => this.#turnTimes.record(turn.call, turn.number, 'sentenceMs', monotonicMs());
    if (step.type === 'call') callFunction(response, step.name, onSentence);
    else await speak(response, step, turn.call, onSentence);
  }

  #turnOf(userText: string) {
    const found = phraseOf(userText);
    const index = this.#script.turns.findIndex((turn) => turn.userText === found?.phrase);
    const turn = this.#script.turns[index];
    return found === null || turn === undefined ? null : { call: found.call, number: index + 1, steps: turn.steps };
  }
}

/** The engine can speak the filler once this chunk has completed the tool call. */
function callFunction(response: ServerResponse, name: string, onSentence: () => void): void {
  const call = { index: 0, id: `call_${name}`, type: 'function', function: { name, arguments: '{}' } };
  write(response, delta({ role: 'assistant', content: null, tool_calls: [call] }));
  onSentence();
  end(response, 'tool_calls');
}

/** A sentence is complete with the white space after it, which comes with the first token of the next sentence. */
async function speak(
  response: ServerResponse,
  { sentences }: Extract<ModelStep, { type: 'text' }>,
  call: number,
  onSentence: () => void,
): Promise<void> {
  write(response, delta({ role: 'assistant', content: '' }));
  for (const [nth, sentence] of sentences.entries()) {
    for (const [at, token] of (textOf(sentence, call).match(/\s*\S+/g) ?? []).entries()) {
      if (nth === 1 && at === 0) onSentence();
      write(response, delta({ content: at === 0 && nth > 0 ? ` ${token}` : token }));
      await after(TOKEN_MS);
    }
  }
  end(response, 'stop');
}

function end(response: ServerResponse, reason: string): void {
  for (const step of [delta({}, reason), usageChunk(200, 20), DONE]) write(response, step);
  response.end();
}

function write(response: ServerResponse, step: ChatStep): void {
  if (step.type === 'chunk') response.write(`data: ${JSON.stringify(step.json)}\n\n`);
  else if (step.type === 'raw') response.write(step.text);
}
