import type { ModelRequest } from '../../../engine/ports/language-model.ts';
import type { Scenario } from './scenario.ts';
import { Simulation } from './simulation.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
const SENTENCE = 'A sentence that goes on and on about the weather. ';
const TURN_SECONDS = 10;
const FIRST_TURN_SECONDS = 3;

/** A call with many turns of 10 s. Every third response is a tool call; the others have this many sentences. */
export function longCall(turns: number, overrides: Partial<Scenario> = {}, sentencesPerResponse = 12): Simulation {
  const call = new Simulation({
    model: Array.from({ length: turns * 2 }, (_, index) =>
      index % 3 === 0
        ? { toolCalls: [{ name: 'lookup' }] }
        : { text: `Answer ${index}. ${SENTENCE.repeat(sentencesPerResponse)}` },
    ),
    tools: { lookup: { after: 0.2, result: { content: `{"weather":"${'x'.repeat(700)}"}` } } },
    voice: { characterMs: 2 },
    ...overrides,
    agent: { max_call_duration: 14_400, states: [{ name: 'start', tools: [LOOKUP] }], ...overrides.agent },
  });
  for (let turn = 0; turn < turns; turn++) {
    const from = turn * TURN_SECONDS + FIRST_TURN_SECONDS;
    call.userSpeaks(from, from + 1, `Turn number ${turn}.`);
  }
  return call;
}

/** Characters of a request's conversation: messages, tool calls and the summary, without the rest of the prompt. */
export function conversationLength(request: ModelRequest): number {
  const [system, ...messages] = request.messages;
  const summary = system?.content.split('What was said before, in short:\n')[1]?.split('\n\n')[0] ?? '';
  const toolCalls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const contentLength = messages.reduce((sum, { content }) => sum + content.length, 0);
  const toolCallLength = toolCalls.reduce((sum, { name, arguments: text }) => sum + name.length + text.length, 0);
  return contentLength + summary.length + toolCallLength;
}
