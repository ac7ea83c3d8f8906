import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { LanguageModel, ModelEvent } from '../../../engine/ports/language-model.ts';
import type { ToolRunner } from '../../../engine/ports/tool-runner.ts';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { ScriptedModel } from '../../../src/conversation-test/scripted-model.ts';
import { CallTime } from '../../../src/text-call/call-time.ts';
import { NO_KNOWLEDGE } from '../../../src/text-call/no-knowledge.ts';
import { TextCall } from '../../../src/text-call/text-call.ts';
import { agentWith } from '../../engine/simulation/agent-with.ts';

const PARAMETERS = { direction: 'inbound', fromNumber: null, toNumber: null, dynamicVariables: {} } as const;
const NO_TOOLS: ToolRunner = { run: () => {} };

/** A model whose responses the test sends. The clock of the call runs during a request. */
class HeldModel implements LanguageModel {
  readonly emits: ((event: ModelEvent) => void)[] = [];
  cancelled = 0;
  readonly #time: CallTime;

  constructor(time: CallTime) {
    this.#time = time;
  }

  generate(_request: unknown, emit: (event: ModelEvent) => void) {
    const end = this.#time.beginWork();
    this.emits.push((event) => {
      if (event.type !== 'text') end();
      emit(event);
    });
    return {
      cancel: () => {
        end();
        this.cancelled += 1;
      },
    };
  }
}

function textCall(agent: Parameters<typeof agentWith>[0] = {}, direction: 'inbound' | 'outbound' = 'inbound') {
  const time = new CallTime(0);
  const model = new HeldModel(time);
  const ports = { model, tools: NO_TOOLS, knowledge: NO_KNOWLEDGE, log: () => {} };
  const call = new TextCall({
    compiled: compileAgent(agentWith(agent)),
    parameters: { ...PARAMETERS, direction },
    time,
    ports,
  });
  const lines = () => call.view().transcript.map(({ role, content }) => `${role}: ${content}`);
  return { time, model, call, lines };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a text call', () => {
  it('says its first message after any delay, and then its clock stops', async () => {
    const { call, time, lines } = textCall({ initial_message: 'Good day.', initial_message_delay: 20 });
    await call.settle();
    expect(lines()).toEqual(['agent: Good day.']);
    const { nowMs } = time;
    expect(nowMs).toBeGreaterThanOrEqual(20_000);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(time.nowMs).toBe(nowMs);
  });

  it('starts with the agent if it is outbound, without waiting for answering machine detection', async () => {
    const { call, time, lines } = textCall({ initial_message: 'Good day.' }, 'outbound');
    await call.settle();
    expect(lines()).toEqual(['agent: Good day.']);
    expect(time.nowMs).toBeLessThan(4_000);
  });

  it('leaves the message of an outbound call if the user text reads like a voicemail greeting', async () => {
    const tool = { type: 'leave_voicemail_message' as const, name: 'leave', filler_sentence: 'Please call back.' };
    const { call, lines } = textCall({ states: [{ name: 'start', tools: [tool] }] }, 'outbound');
    await call.settle();
    await call.say('Leave a message after the tone.');
    expect(lines()).toEqual(['user: Leave a message after the tone.', 'agent: Please call back.']);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('shows a sentence as soon as it is complete, while the model continues', async () => {
    const { call, model, lines } = textCall();
    await call.settle();
    const said = call.say('Hello.');
    await vi.advanceTimersByTimeAsync(1);
    model.emits[0]?.({ type: 'text', text: 'First sentence. Second' });
    await vi.advanceTimersByTimeAsync(100);
    expect(lines()).toEqual(['user: Hello.', 'agent: First sentence.']);
    model.emits[0]?.({ type: 'text', text: ' sentence.' });
    model.emits[0]?.({ type: 'done', finish: 'stop' });
    await said;
    expect(lines()).toEqual(['user: Hello.', 'agent: First sentence. Second sentence.']);
    expect(call.endReason).toBeNull();
  });

  it('stops waiting for a silent model after the timeouts of a real call, and fails in the second such turn', async () => {
    const { call, model, time } = textCall();
    await call.settle();
    const said = call.say('Hello.');
    const askedMs = time.nowMs;
    await vi.advanceTimersByTimeAsync(9_000);
    expect(call.endReason).toBeNull();
    await vi.advanceTimersByTimeAsync(13_000);
    await said;
    expect(call.endReason).toBeNull();
    expect(time.nowMs - askedMs).toBeLessThan(22_000);
    expect(model.cancelled).toBeGreaterThan(0);
    const saidAgain = call.say('Hello?');
    await vi.advanceTimersByTimeAsync(30_000);
    await saidAgain;
    expect(call.endReason).toBe('llm_error');
  });

  it('a hang-up during a model request cancels the request and resolves the waiting line', async () => {
    const { call, model, lines } = textCall();
    await call.settle();
    const said = call.say('Hello.');
    await vi.advanceTimersByTimeAsync(1);
    await call.hangUp();
    await said;
    expect(call.endReason).toBe('caller_hangup');
    expect(model.cancelled).toBe(1);
    model.emits[0]?.({ type: 'text', text: 'Too late.' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(lines()).toEqual(['user: Hello.']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('counts the speech of an agent during a silence as part of the silence', async () => {
    const { call, lines } = textCall({
      presence_check_phrases: ['Hello?'],
      presence_check_idle_threshold: 5,
      presence_check_max_times: 2,
    });
    await call.settle();
    await call.waitSilently(11);
    expect(lines()).toEqual(['agent: Hello?', 'agent: Hello?']);
    expect(call.endReason).toBeNull();
    await call.waitSilently(5);
    expect(call.endReason).toBe('silence');
  });

  it('reaches its maximum duration in silence', async () => {
    const { call, time } = textCall({ max_call_duration: 600 });
    await call.settle();
    await call.waitSilently(14_400);
    expect(call.endReason).toBe('max_duration');
    expect(time.nowMs).toBeLessThan(610_000);
  });

  it('accepts the same words twice', async () => {
    const { call, model, lines } = textCall();
    await call.settle();
    for (const nth of [0, 1]) {
      const said = call.say('Yes');
      await vi.advanceTimersByTimeAsync(1);
      model.emits[nth]?.({ type: 'text', text: 'Good.' });
      model.emits[nth]?.({ type: 'done', finish: 'stop' });
      await said;
    }
    expect(lines()).toEqual(['user: Yes', 'agent: Good.', 'user: Yes', 'agent: Good.']);
  });
});

const act = fc.oneof(
  fc.record({ type: fc.constant('say' as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ type: fc.constant('press' as const), keys: fc.stringMatching(/^[0-9*#]{1,4}$/) }),
  fc.record({ type: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ type: fc.constant('hangUp' as const) }),
);
const answer = fc.oneof(
  fc.record({ text: fc.string({ minLength: 1 }), call: fc.constant(null) }),
  fc.record({
    text: fc.constant(null),
    call: fc.record({ name: fc.constantFrom('bye', 'go_to_other', 'nothing', 'pause'), arguments: fc.constant({}) }),
  }),
);

it('completes each user action and ends the call once, for any actions and model responses', async () => {
  vi.useRealTimers();
  const agent = agentWith({
    initial_message: 'Good day.',
    presence_check_phrases: ['Hello?'],
    variables: [{ name: 'size', type: 'integer' }],
    states: [
      { name: 'start', transitions: [{ condition: 'c', destination_state_name: 'other' }] },
      {
        name: 'other',
        tools: [
          { type: 'hang_up', name: 'bye' },
          { type: 'wait', name: 'pause' },
        ],
      },
    ],
  });
  const compiled = compileAgent(agent);
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 12 }), fc.array(answer, { maxLength: 12 }), async (acts, answers) => {
      const time = new CallTime(0);
      const model = new ScriptedModel(time.clock);
      model.begin({ answers, extract: { size: 2 } });
      let ends = 0;
      const onEntry = (entry: JournalEntry) => {
        if (entry.type === 'ended') ends += 1;
      };
      const ports = { model, tools: NO_TOOLS, knowledge: NO_KNOWLEDGE, log: () => {} };
      const call = new TextCall({ compiled, parameters: PARAMETERS, time, ports, onEntry });
      await call.settle();
      for (const one of acts) {
        if (one.type === 'say') await call.say(one.text);
        if (one.type === 'press') await call.press(one.keys);
        if (one.type === 'wait') await call.waitSilently(one.seconds);
        if (one.type === 'hangUp') await call.hangUp();
        expect(['listening', 'over']).toContain(call.view().agentState);
      }
      await call.hangUp();
      expect(call.endReason).not.toBeNull();
      expect(ends).toBe(1);
      time.clock.runUntil(time.nowMs + 10_000);
      expect(time.clock.pending).toBe(0);
    }),
    { numRuns: 200 },
  );
});
