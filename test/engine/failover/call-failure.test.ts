import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { FIRST_ATTEMPT, type Generation } from '../../../engine/core/state/generation-slice.ts';
import type { FollowUp, Reply } from '../../../engine/core/state/playout-slice.ts';
import { failCall, sayLanguageApology } from '../../../engine/failover/call-failure.ts';
import { changeReply, LISTEN, startReply } from '../../../engine/playout/reply.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { addToolResult } from '../../../engine/transcript/history.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep, spokenTexts } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';

const APOLOGY = ['I am sorry, something went wrong on our side.', 'Please call again a little later.', 'Goodbye.'];
const GENERATION: Generation = {
  number: 7,
  item: 1,
  stateIndex: 0,
  requestedUs: 0,
  firstTokenUs: null,
  toolCalls: [],
  spoke: false,
  model: 'test model',
  attempts: FIRST_ATTEMPT,
  backingOff: false,
  hasEnded: false,
  failure: null,
};
const TRANSFER_REQUEST = { destination: '+4930111111', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;
const TRANSFER: FollowUp = { type: 'transfer', toolCallId: 'call_1', name: 'go', request: TRANSFER_REQUEST };

interface FailureCase {
  readonly agent?: Scenario['agent'];
  readonly parameters?: Scenario['parameters'];
  readonly context?: Partial<CallContext>;
  /** The reply at the time of the failure; null for none. */
  readonly reply?: Partial<Reply> | null;
}

/** The step in which the last voice fails. */
function failureStep({ agent = {}, parameters = {}, context = {}, reply = null }: FailureCase = {}): RuleStep {
  const step = ruleStep({ ...initialContext(agentWith(agent), { ...CALL_PARAMETERS, ...parameters }), ...context });
  if (reply !== null) {
    startReply(step, null);
    addToolResult(step, 'call_1', 'The call ends once this has been heard.');
    changeReply(step, reply);
  }
  failCall(step, 'voice_error', 'test timeout: no audio in time');
  return step;
}

const toolResults = ({ context }: RuleStep) =>
  context.history.flatMap((item) => (item.type === 'result' ? [item.content] : []));

describe('failure without another provider', () => {
  it('decides the end of the call, with its reason, after an uninterruptible apology', () => {
    for (const reply of [null, {}]) {
      const step = failureStep({ reply });
      expect(step.context).toMatchObject({
        decidedEnd: 'voice_error',
        failure: { reason: 'voice_error', detail: 'test timeout: no audio in time' },
        reply: { number: 1, interruptible: false, requestPending: false, generation: null, followUp: LISTEN },
      });
      expect(spokenTexts(step)).toEqual(APOLOGY);
    }
  });

  it('changes nothing when the end of the call is decided or has come', () => {
    for (const context of [{ decidedEnd: 'agent_hangup' }, { endReason: 'caller_hangup' }] as const) {
      const step = failureStep({ context, reply: {} });
      expect(step.commands).toEqual([]);
      expect(step.context).toMatchObject({ ...context, failure: null });
    }
  });

  it('cancels the generation and the pending request', () => {
    const step = failureStep({ reply: { generation: GENERATION, requestPending: true } });
    expect(issuedCommands(step).slice(0, 2)).toEqual([
      { type: 'model.cancel', generation: 7 },
      { type: 'timer.stop', timer: 'generation' },
    ]);
    expect(issuedCommands(failureStep({ reply: {} }))[0]).toEqual({ type: 'timer.stop', timer: 'generation' });
  });

  it('keeps a requested transfer, without an apology', () => {
    const step = failureStep({ reply: { followUp: TRANSFER } });
    expect(step.context.reply).toMatchObject({ followUp: TRANSFER, interruptible: false });
    expect(step.context.decidedEnd).toBe('voice_error');
    expect(spokenTexts(step)).toEqual([]);
  });

  it('keeps the tool result of a hang-up', () => {
    expect(toolResults(failureStep({ reply: { followUp: HANG_UP_AFTER_GOODBYE } }))).toEqual([
      'The call ends once this has been heard.',
    ]);
  });

  it('says the language’s apology once', () => {
    const step = failureStep();
    sayLanguageApology(step);
    expect(spokenTexts(step)).toEqual(APOLOGY);
  });

  it.each([
    ['to a number', '+4930111111', '+4930111111'],
    ['to a dynamic variable of the call', '{{desk}}', '+4930222222'],
    ['to no destination if the placeholder is unknown', '{{unknown}}', null],
    ['to no destination if none is configured', undefined, null],
  ])('transfers the call %s', (_case, destination, expected) => {
    const step = failureStep({
      agent: {
        on_provider_failure: { action: 'transfer', ...(destination === undefined ? {} : { destination }) },
      },
      parameters: { dynamicVariables: { desk: '+4930222222' } },
    });
    expect(step.context.reply?.followUp).toEqual(
      expected === null
        ? LISTEN
        : { type: 'failure_transfer', request: { ...TRANSFER_REQUEST, destination: expected } },
    );
  });
});
