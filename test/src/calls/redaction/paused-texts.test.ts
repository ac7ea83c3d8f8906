import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../engine/agent/json-value.ts';
import type { CallCommand } from '../../../../engine/core/command.ts';
import type { CallEvent } from '../../../../engine/core/event.ts';
import { type JournalEntry, NOT_RECORDED, type TranscriptEntry } from '../../../../engine/ports/journal.ts';
import { CallTextFilter } from '../../../../src/calls/redaction/call-text-filter.ts';

type Written = Exclude<JournalEntry, { readonly type: 'ended' }>;

const PAUSE_S = 10;
const RESUME_S = 20;
const PAUSE: TranscriptEntry = {
  role: 'recording_pause',
  sequence: 100,
  startUs: PAUSE_S * 1e6,
  endUs: null,
  content: '',
  requestedBy: 'api',
};
const CARD = '4111 1111 1111 1111';

const transcript = (entry: TranscriptEntry): Written => ({ type: 'transcript', entry });
const times = (sequence: number, fromS: number, toS: number | null) => {
  return { sequence, startUs: fromS * 1e6, endUs: toS === null ? null : toS * 1e6 };
};
const user = (sequence: number, fromS: number, toS: number | null, content: string) =>
  transcript({ role: 'user', ...times(sequence, fromS, toS), content });
const agent = (sequence: number, fromS: number, toS: number | null, content: string) =>
  transcript({ role: 'agent', ...times(sequence, fromS, toS), content, interrupted: false });
const typed = (sequence: number, fromS: number, toS: number, content: string) =>
  transcript({ role: 'dtmf', ...times(sequence, fromS, toS), content });
const toolCall = (sequence: number, atS: number, args: Record<string, JsonValue>) =>
  transcript({
    role: 'tool_call',
    ...times(sequence, atS, atS),
    content: '',
    toolCallId: 'call_1',
    name: 'pay',
    toolType: 'custom_function',
    arguments: args,
  });
const variable = (value: JsonValue): Written => {
  return { type: 'variable', name: 'card', variableType: 'string', value, atUs: 0 };
};

/** Texts of a call, and the entries that mark its pause. */
class Call {
  readonly texts: CallTextFilter;

  constructor(entities: ConstructorParameters<typeof CallTextFilter>[0]['entities'] = null) {
    this.texts = new CallTextFilter({ language: 'en', entities });
  }

  write(entry: Written): readonly string[] {
    return this.texts.write(entry).map((one) => {
      if (one.type === 'variable') return `variable: ${JSON.stringify(one.value)}`;
      if (one.type !== 'transcript') return one.type;
      const { entry: said } = one;
      return said.role === 'tool_call'
        ? `${said.role}: ${JSON.stringify(said.arguments)}`
        : `${said.role}: ${said.content}`;
    });
  }

  pause(): void {
    this.#mark(PAUSE);
  }

  resume(): void {
    this.#mark({ ...PAUSE, endUs: RESUME_S * 1e6 });
  }

  process(event: CallEvent, commands: readonly CallCommand[] = []): void {
    this.texts.follow({ event, commands });
  }

  #mark(entry: TranscriptEntry): void {
    this.process({ type: 'timer', timer: 'endpoint' }, [{ type: 'journal.write', entry: transcript(entry) }]);
    this.texts.write(transcript(entry));
  }
}

describe('the texts of a pause', () => {
  it('are hidden for both parties, digits, tools and variables, and kept before and after', () => {
    const call = new Call();
    expect(call.write(user(1, 5, 6, 'I want to pay'))).toEqual(['user: I want to pay']);
    call.pause();
    expect(call.write(user(2, 11, 12, 'It is Anna'))).toEqual([`user: ${NOT_RECORDED}`]);
    expect(call.write(typed(3, 13, 14, '411111'))).toEqual([`dtmf: ${NOT_RECORDED}`]);
    expect(call.write(agent(4, 15, 16, 'Thank you Anna'))).toEqual([`agent: ${NOT_RECORDED}`]);
    expect(call.write(toolCall(5, 17, { number: '411111' }))).toEqual([`tool_call: {"number":"${NOT_RECORDED}"}`]);
    expect(call.write(variable('411111'))).toEqual([`variable: "${NOT_RECORDED}"`]);
    expect(call.texts.text('provider said: Anna')).toBe(NOT_RECORDED);
    call.resume();
    expect(call.write(user(6, 22, 23, 'That is all'))).toEqual(['user: That is all']);
    expect(call.texts.text('a later error')).toBe('a later error');
  });

  it('are no values that come from outside the conversation', () => {
    const call = new Call();
    call.pause();
    const given = { type: 'variable', variableType: 'datetime', value: '2026-01-01T00:00:00Z', atUs: 0 } as const;
    expect(call.write({ ...given, name: 'call_start_time' })).toEqual([`variable: "${given.value}"`]);
    expect(call.write({ ...given, name: 'order', initial: true })).toEqual([`variable: "${given.value}"`]);
  });

  it('include what began before the pause and goes on in it, and what begins in it and goes on after it', () => {
    const call = new Call();
    expect(call.write(user(1, 9, null, 'It is'))).toEqual(['user: It is']);
    call.pause();
    expect(call.write(user(1, 9, 11, `It is ${CARD}`))).toEqual([`user: ${NOT_RECORDED}`]);
    expect(call.write(user(2, 19, null, 'and the code'))).toEqual([`user: ${NOT_RECORDED}`]);
    call.resume();
    expect(call.write(user(2, 19, 21, 'and the code is 123'))).toEqual([`user: ${NOT_RECORDED}`]);
  });

  it('include words that the transcriber reports late', () => {
    const call = new Call();
    call.pause();
    call.resume();
    expect(call.write(user(1, RESUME_S + 0.5, RESUME_S + 0.5, 'one two three'))).toEqual([`user: ${NOT_RECORDED}`]);
  });

  it('do not include an entry that only ends in the pause', () => {
    const call = new Call();
    call.write(agent(1, 8, null, 'Your number, please.'));
    call.pause();
    expect(call.write(agent(1, 8, 11, 'Your number, please.'))).toEqual(['agent: Your number, please.']);
    expect(call.write(agent(1, 8, 11, 'Your number,'))).toEqual(['agent: Your number,']);
  });

  it('are recognised after it: numbers in several breaths, and values', () => {
    const call = new Call();
    call.pause();
    call.write(user(1, 11, 12, 'four one one one'));
    call.write(user(2, 13, 14, 'one one one one and the code is 123'));
    call.write(user(3, 15, 16, 'Anna Weber'));
    call.resume();
    expect(call.write(agent(4, 22, 23, 'I have 4111 1111.'))).toEqual(['agent: I have [number].']);
    expect(call.write(variable('123'))).toEqual([`variable: "${NOT_RECORDED}"`]);
    expect(call.write(variable({ name: 'anna weber' }))).toEqual([`variable: "${NOT_RECORDED}"`]);
    expect(call.write(variable('Berlin'))).toEqual(['variable: "Berlin"']);
    expect(call.write(toolCall(5, 24, { card: 41111111 }))).toEqual([`tool_call: {"card":"${NOT_RECORDED}"}`]);
  });

  it('are recognised after it in another language than that of the agent', () => {
    const call = new Call();
    call.write(user(1, 5, 6, 'ich möchte Ihnen sagen, dass ich die Karte habe'));
    call.pause();
    call.write(user(2, 11, 12, 'vier eins eins eins'));
    call.write(user(3, 13, 14, 'eins eins eins eins'));
    call.resume();
    expect(call.write(agent(4, 22, 23, 'I have 4111 1111.'))).toEqual(['agent: I have [number].']);
    expect(call.write(agent(5, 24, 25, 'Also vier eins eins eins eins eins?'))).toEqual(['agent: Also [number]?']);
    expect(call.write(variable('4111'))).toEqual([`variable: "${NOT_RECORDED}"`]);
    expect(call.texts.text('refused: 4111 1111')).toBe('refused: [number]');
  });

  it('are recognised in any language, also if digits alone were said', () => {
    const call = new Call();
    call.pause();
    call.write(user(1, 11, 12, 'vier eins eins eins'));
    call.write(user(2, 13, 14, 'eins eins eins eins'));
    call.resume();
    expect(call.write(agent(3, 22, 23, 'I have 4111 1111.'))).toEqual(['agent: I have [number].']);
    expect(call.write(agent(4, 24, 25, 'Also vier eins eins eins eins eins?'))).toEqual(['agent: Also [number]?']);
    expect(call.write(variable('4111'))).toEqual([`variable: "${NOT_RECORDED}"`]);
    expect(call.texts.text('refused: 4111 1111')).toBe('refused: [number]');
  });

  it('include the answers to requests of the pause that arrive after it', () => {
    const call = new Call();
    const request = { provider: 'test', model: 'test', messages: [], functions: [] };
    call.pause();
    call.process({ type: 'timer', timer: 'endpoint' }, [{ type: 'extraction.request', extraction: 3, request }]);
    call.resume();
    call.process({ type: 'extraction.done', extraction: 3, answer: {} });
    expect(call.write(variable('12/27'))).toEqual([`variable: "${NOT_RECORDED}"`]);
    call.process({ type: 'extraction.done', extraction: 4, answer: {} });
    expect(call.write(variable('Berlin'))).toEqual(['variable: "Berlin"']);
  });

  it('stay hidden if the redaction of the agent writes them again', () => {
    const call = new Call(['card']);
    call.pause();
    expect(call.write(user(1, 11, 12, '4111 111'))).toEqual([`user: ${NOT_RECORDED}`]);
    expect(call.write(variable('4111 111'))).toEqual([`variable: "${NOT_RECORDED}"`]);
    call.resume();
    expect(call.write(user(2, 22, 23, 'that is all'))).toEqual([
      `user: ${NOT_RECORDED}`,
      'user: that is all',
      `variable: "${NOT_RECORDED}"`,
    ]);
    expect(call.texts.end().length).toBe(0);
  });
});
