import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { Generation } from '../../../engine/core/state/generation-slice.ts';
import type { FollowUp, Reply } from '../../../engine/core/state/playout-slice.ts';
import { failCall, sayLanguageApology } from '../../../engine/failover/call-failure.ts';
import { changeReply, LISTEN, startReply } from '../../../engine/playout/reply.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { addToolResult } from '../../../engine/transcript/history.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';

const APOLOGY = ['I am sorry, something went wrong on our side.', 'Please call again a little later.', 'Goodbye.'];
const GENERATION: Generation = {
  number: 7,
  item: 1,
  stateIndex: 0,
  requestedUs: 0,
  firstTokenUs: null,
  calls: [],
  spoke: false,
  model: 'test model',
  retry: false,
  backingOff: false,
};
const ORDER = { destination: '+4930111111', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;
const TRANSFER: FollowUp = { type: 'transfer', toolCallId: 'call_1', name: 'go', request: ORDER };

interface Case {
  readonly agent?: Scenario['agent'];
  readonly parameters?: Scenario['parameters'];
  readonly context?: Partial<CallContext>;
  /** The reply that goes on at the same time; null: there is none. */
  readonly reply?: Partial<Reply> | null;
}

/** Nobody is left who could be heard, think or speak. */
function givenUp({ agent = {}, parameters = {}, context = {}, reply = null }: Case = {}): RuleStep {
  const step = ruleStep({ ...initialContext(agentWith(agent), { ...CALL_PARAMETERS, ...parameters }), ...context });
  if (reply !== null) {
    startReply(step, null);
    addToolResult(step, 'call_1', 'The call ends once this has been heard.');
    changeReply(step, reply);
  }
  failCall(step, 'voice_error', 'test timeout: no audio in time');
  return step;
}

const spoken = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));
const results = ({ context }: RuleStep) =>
  context.history.flatMap((item) => (item.type === 'result' ? [item.content] : []));

describe('a call that cannot go on', () => {
  it('ends, for the reason that its end tells, once an apology that nobody interrupts was heard', () => {
    for (const reply of [null, {}]) {
      const step = givenUp({ reply });
      expect(step.context).toMatchObject({
        decidedEnd: 'voice_error',
        failure: { reason: 'voice_error', detail: 'test timeout: no audio in time' },
        reply: { utterance: 1, interruptible: false, requestPending: false, generation: null, followUp: LISTEN },
      });
      expect(spoken(step)).toEqual(APOLOGY);
    }
  });

  it('ends for its first reason, of which it is told once', () => {
    for (const context of [{ decidedEnd: 'agent_hangup' }, { endReason: 'caller_hangup' }] as const) {
      const step = givenUp({ context, reply: {} });
      expect(step.commands).toEqual([]);
      expect(step.context).toMatchObject({ ...context, failure: null });
    }
  });

  it('drops what the model is still asked for', () => {
    const step = givenUp({ reply: { generation: GENERATION, requestPending: true } });
    expect(issuedCommands(step).slice(0, 2)).toEqual([
      { type: 'model.cancel', generation: 7 },
      { type: 'timer.stop', timer: 'generation' },
    ]);
    expect(issuedCommands(givenUp({ reply: {} }))[0]).toEqual({ type: 'timer.stop', timer: 'generation' });
  });

  it('still hands a user over whose transfer was ordered, without a word', () => {
    const step = givenUp({ reply: { followUp: TRANSFER } });
    expect(step.context.reply).toMatchObject({ followUp: TRANSFER, interruptible: false });
    expect(step.context.decidedEnd).toBe('voice_error');
    expect(spoken(step)).toEqual([]);
  });

  it('need not take an end back', () => {
    expect(results(givenUp({ reply: { followUp: HANG_UP_AFTER_GOODBYE } }))).toEqual([
      'The call ends once this has been heard.',
    ]);
  });

  it('apologises in the language’s own words once', () => {
    const step = givenUp();
    sayLanguageApology(step);
    expect(spoken(step)).toEqual(APOLOGY);
  });

  it.each([
    ['to a number', '+4930111111', '+4930111111'],
    ['to what was given with the call', '{{desk}}', '+4930222222'],
    ['to nobody where there is nobody', '{{unknown}}', null],
    ['to nobody where none is named', undefined, null],
  ])('is handed over %s', (_what, destination, to) => {
    const step = givenUp({
      agent: {
        on_provider_failure: { action: 'transfer', ...(destination === undefined ? {} : { destination }) },
      },
      parameters: { dynamicVariables: { desk: '+4930222222' } },
    });
    expect(step.context.reply?.followUp).toEqual(
      to === null ? LISTEN : { type: 'failure_transfer', request: { ...ORDER, destination: to } },
    );
  });
});
