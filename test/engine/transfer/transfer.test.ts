import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { TransferFollowUp } from '../../../engine/core/state/playout-slice.ts';
import { NO_SPEECH } from '../../../engine/core/state/speech-timeline.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import {
  beginTransfer,
  bridgeInstead,
  canBridgeInstead,
  transferFailed,
  transferSucceeded,
} from '../../../engine/transfer/transfer.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const RING_TIMEOUT_MS = 20_000;
/** Added to the ring timeout. */
const SIGNALLING_SLACK_MS = 10_000;
const REQUEST = { destination: '+4930111111', mode: 'refer', headers: {}, ringTimeoutMs: RING_TIMEOUT_MS } as const;
const BY_MODEL: TransferFollowUp = { type: 'transfer', toolCallId: 'a', name: 'desk', request: REQUEST, started: true };
const BY_API: TransferFollowUp = { type: 'requested_transfer', request: REQUEST, started: true };
const BY_FAILURE: TransferFollowUp = { type: 'failure_transfer', request: REQUEST, started: true };
const TIMER: CallEvent = { type: 'timer', timer: 'transfer' };
const BUSY: CallEvent = { type: 'control.transfer_failed', reason: 'the line is busy' };
const REFUSED: CallEvent = { type: 'control.transfer_failed', reason: 'it takes no REFER', refused: true };
const FAILURE = { reason: 'transcriber_error', detail: 'gone' } as const;

/** The reply ends in this transfer; null: the agent listens after it. */
function transferring(
  followUp: TransferFollowUp | null,
  event: CallEvent = BUSY,
  changes: Partial<CallContext> = {},
): RuleStep {
  const step = ruleStep({}, 9_000, event);
  startReply(step, null);
  if (followUp !== null) changeReply(step, { followUp });
  step.change(changes);
  return step;
}
const phases = (step: RuleStep) =>
  step.commands.flatMap((command) =>
    command.type === 'journal.write' && command.entry.type === 'transfer'
      ? [[command.entry.phase, command.entry.mode, command.entry.reason]]
      : [],
  );
const toolResults = (step: RuleStep) =>
  step.commands.flatMap((command) =>
    command.type === 'journal.write' && command.entry.type === 'tool_called' ? [command.entry.successful] : [],
  );

describe('a transfer', () => {
  it('is given its ring timeout and the time of the signalling', () => {
    const step = transferring({ ...BY_API, started: false });
    beginTransfer(step);
    expect(step.commands).toContainEqual({ type: 'call.transfer', request: REQUEST });
    expect(step.commands).toContainEqual({
      type: 'timer.start',
      timer: 'transfer',
      delayMs: RING_TIMEOUT_MS + SIGNALLING_SLACK_MS,
    });
    expect(step.context.reply?.followUp).toEqual({ ...BY_API, started: true });
  });

  it.each([beginTransfer, bridgeInstead, transferFailed, transferSucceeded])(
    'is nothing that a reply without one ends in: $name',
    (rule) => {
      const step = transferring(null);
      const { reply } = step.context;
      rule(step);
      expect(step.commands).toEqual([]);
      expect(step.raised).toEqual([]);
      expect(step.context.reply).toBe(reply);
    },
  );
});

describe('a bridge in place of a refused REFER', () => {
  const isBridged = (followUp: TransferFollowUp | null, event: CallEvent, failure: CallContext['failure'] = null) => {
    const step = transferring(followUp, event, { failure });
    return canBridgeInstead(step.context, event);
  };

  it.each([BY_MODEL, BY_API, BY_FAILURE])('is tried once for a $type', (followUp) => {
    expect(isBridged(followUp, REFUSED)).toBe(true);
    expect(isBridged({ ...followUp, request: { ...REQUEST, mode: 'bridge' } }, REFUSED)).toBe(false);
  });

  it('is not tried for a destination that was rung, or that did not answer', () => {
    expect(isBridged(BY_MODEL, BUSY)).toBe(false);
    expect(isBridged(BY_MODEL, { ...BUSY, refused: false })).toBe(false);
    expect(isBridged(BY_MODEL, TIMER)).toBe(false);
    expect(isBridged(null, REFUSED)).toBe(false);
  });

  it('is tried after a failure only for the transfer that follows from it', () => {
    expect(isBridged(BY_FAILURE, REFUSED, FAILURE)).toBe(true);
    expect(isBridged(BY_MODEL, REFUSED, FAILURE)).toBe(false);
    expect(isBridged(BY_API, REFUSED, FAILURE)).toBe(false);
  });
});

describe('a failed transfer', () => {
  const failed = (followUp: TransferFollowUp, event: CallEvent = BUSY, changes: Partial<CallContext> = {}) => {
    const step = transferring(followUp, event, changes);
    transferFailed(step);
    return step;
  };
  const NOTE = 'The transfer failed: the line is busy. The caller is still on the line.';

  it.each([
    [BUSY, 'the line is busy'],
    [TIMER, 'nobody answered in time'],
  ])('has its reason: %o', (event, reason) => {
    for (const followUp of [BY_MODEL, BY_API, BY_FAILURE])
      expect(phases(failed(followUp, event))).toEqual([['failed', 'refer', reason]]);
    expect(failed(BY_MODEL).commands).toContainEqual({ type: 'timer.stop', timer: 'transfer' });
  });

  it('that the model has requested is the result of its tool call', () => {
    const step = failed(BY_MODEL);
    expect(step.context.history).toMatchObject([{ type: 'result', toolCallId: 'a', content: NOTE }]);
    expect(toolResults(step)).toEqual([false]);
    expect(step.context.notes).toEqual([]);
  });

  it('that the API has requested is a note for the model', () => {
    const step = failed(BY_API);
    expect(step.context.notes).toEqual([NOTE]);
    expect(step.context.history).toEqual([]);
    expect(toolResults(step)).toEqual([]);
  });

  it('is followed by the model’s answer', () => {
    const step = failed(BY_MODEL);
    expect(step.context.reply).toMatchObject({ number: 2, requestPending: true, turn: null });
    expect(step.raised).toEqual([{ type: 'engine.generate' }]);
  });

  it('that follows from a failure leaves the reply to end the call', () => {
    const step = failed(BY_FAILURE, BUSY, { failure: FAILURE, decidedEnd: 'transcriber_error' });
    expect(step.context).toMatchObject({ reply: { number: 1, followUp: { type: 'listen' } }, notes: [], history: [] });
    expect(step.context.decidedEnd).toBe('transcriber_error');
    expect(step.raised).toEqual([]);
  });

  it('during which the call has failed is followed by the apology, not by the model', () => {
    const step = failed(BY_MODEL, BUSY, { failure: FAILURE, decidedEnd: 'transcriber_error' });
    expect(step.raised).not.toContainEqual({ type: 'engine.generate' });
    expect(step.context.decidedEnd).toBe('transcriber_error');
    expect(step.context.reply?.segments).not.toEqual([]);
  });

  describe('with words of the user', () => {
    const userTurnWith = (text: string, isFinal: boolean) => ({
      ...ruleStep().context.userTurn,
      startedUs: 7_000_000,
      endedUs: 7_900_000,
      speech: revise(
        NO_SPEECH,
        { text, startMs: 7_000, endMs: 7_900, words: [], isFinal },
        { activityStartMs: 7_000, wordErrorMs: 0 },
      ),
    });
    const turnOf = (userTurn: CallContext['userTurn'], changes: Partial<CallContext> = {}) =>
      failed(BY_MODEL, BUSY, { userTurn, ...changes }).context;

    it('answers both together, once all words are known', () => {
      expect(turnOf(userTurnWith('Is anybody there?', true)).reply?.turn).toMatchObject({ number: 1 });
      expect(turnOf(userTurnWith('Is anybody', false)).reply?.turn).toBeNull();
      expect(turnOf({ ...userTurnWith('Is anybody', true), speaking: true }).reply?.turn).toBeNull();
    });

    it('judges them as an answer to the announcement of the recording', () => {
      const agent = agentWith({ recording_consent: { announcement: 'This call is recorded.' } });
      const { consent } = ruleStep().context;
      const heard = { agent, consent: { ...consent, announcedBy: 1, isHeard: true } };
      expect(turnOf(userTurnWith('Is anybody there?', true), heard).consent.answer).toBe('given');
      expect(turnOf(userTurnWith('Is anybody', false), heard).consent.answer).toBe('not_asked');
    });
  });
});

describe('a successful transfer', () => {
  const succeeded = (followUp: TransferFollowUp, event: CallEvent) => {
    const step = transferring(followUp, event);
    transferSucceeded(step);
    return step;
  };
  const SUCCEEDED: CallEvent = { type: 'control.transfer_succeeded' };

  it('ends the call, or leaves it to the bridged parties', () => {
    expect(succeeded(BY_MODEL, SUCCEEDED).raised).toEqual([{ type: 'engine.end', reason: 'transferred' }]);
    expect(succeeded(BY_MODEL, { ...SUCCEEDED, bridged: true }).raised).toEqual([{ type: 'engine.bridged' }]);
    expect(succeeded(BY_MODEL, SUCCEEDED).context.reply).toBeNull();
  });

  it('has a tool result only if the model has requested it', () => {
    expect(toolResults(succeeded(BY_MODEL, SUCCEEDED))).toEqual([true]);
    expect(toolResults(succeeded(BY_API, SUCCEEDED))).toEqual([]);
    expect(toolResults(succeeded(BY_FAILURE, SUCCEEDED))).toEqual([]);
    expect(phases(succeeded(BY_API, SUCCEEDED))).toEqual([['completed', 'refer', undefined]]);
  });
});
