import type { ModelRequest } from '../../../engine/ports/language-model.ts';
import { type Scenario, Simulation } from './simulate.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
const SENTENCE = 'A sentence that goes on and on about the weather. ';

/** A call of `turns` turns, 10 s each, in each of which the agent says that many sentences. */
export function chatty(turns: number, given: Partial<Scenario> = {}, sentences = 12): Simulation {
  const call = new Simulation({
    model: Array.from({ length: turns * 2 }, (_, index) =>
      index % 3 === 0 ? { calls: [{ name: 'lookup' }] } : { text: `Answer ${index}. ${SENTENCE.repeat(sentences)}` },
    ),
    tools: { lookup: { after: 0.2, result: { content: `{"weather":"${'x'.repeat(700)}"}` } } },
    voice: { characterMs: 2 },
    ...given,
    agent: { max_call_duration: 14_400, states: [{ name: 'start', tools: [LOOKUP] }], ...given.agent },
  });
  for (let turn = 0; turn < turns; turn++) call.callerSpeaks(turn * 10 + 3, turn * 10 + 4, `Turn number ${turn}.`);
  return call;
}

/** What a request tells of the conversation: all but the system's message, and the summary in that. */
export function told(request: ModelRequest): number {
  const [system, ...rest] = request.messages;
  const summary = system?.content.split('What was said before, in short:\n')[1]?.split('\n\n')[0] ?? '';
  const calls = rest.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const spoken = rest.reduce((sum, { content }) => sum + content.length, 0);
  return spoken + summary.length + calls.reduce((sum, { name, arguments: text }) => sum + name.length + text.length, 0);
}
