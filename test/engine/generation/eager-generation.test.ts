import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { askAhead } from '../../../engine/generation/eager-generation.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

/** Long enough that the answer saves time. */
const PAUSE_LEFT_MS = 500;
/** An interim is watched for this long, if finals are slow. */
const STABLE_MS = 150;
const TEXT = 'I want a table for four at seven.';
const FINAL: CallEvent = { type: 'transcriber.final', text: TEXT, words: [], startMs: 0, endMs: 2_000 };
const ASK_AHEAD: CallEvent = { type: 'timer', timer: 'ask_ahead' };
const TRANSFER = { destination: '+4930123456', mode: 'refer' as const, headers: {}, ringTimeoutMs: 30_000 };
const READY: Partial<CallContext> = {
  initialMessage: 'done',
  userTurn: { ...SILENT_USER, endedUs: 2_000_000, speech: speechOf({ finals: [TEXT] }) },
};

function stepAfter(context: Partial<CallContext> = {}, event: CallEvent = FINAL, hasReply = false) {
  const step = ruleStep({ ...READY, ...context }, 2_100, event);
  if (hasReply) startReply(step, null);
  const before = step.context.reply;
  askAhead(step, PAUSE_LEFT_MS);
  return { step, isAsked: step.context.reply !== before };
}

describe('the model is asked before the end of the turn', () => {
  const { dtmf } = ruleStep().context;
  const digits = { type: 'digits' as const, digits: '1', startUs: 0, endUs: 0, activityEndedUs: null };
  const tool = { toolCallId: 'a', name: 'lookup', startedUs: 0, reply: 1, item: 1 };

  it('once its words are final', () => {
    const { step, isAsked } = stepAfter();
    expect(isAsked).toBe(true);
    expect(step.context.reply?.pending?.phase).toBe('ahead');
  });

  it.each<[string, Partial<CallContext>]>([
    ['the initial message is due', { initialMessage: 'pending' }],
    ['a tool runs', { runningTools: [tool] }],
    ['the end of the call is decided', { decidedEnd: 'agent_hangup' }],
    ['the user enters digits', { dtmf: { ...dtmf, openEntry: digits } }],
    ['digits wait for an answer', { dtmf: { ...dtmf, entries: [digits] } }],
    ['speech is queued', { queuedSpeech: [{ text: 'One moment.', interruptible: true }] }],
    ['a transfer is queued', { queuedTransfer: { request: TRANSFER } }],
    ['the turn is complete', { userTurn: { ...SILENT_USER, ...READY.userTurn, complete: true } }],
    ['the user speaks', { userTurn: { ...SILENT_USER, ...READY.userTurn, speaking: true } }],
  ])('not while %s', (_case, context) => {
    expect(stepAfter(context).isAsked).toBe(false);
  });

  it('not during a reply', () => {
    expect(stepAfter({}, FINAL, true).isAsked).toBe(false);
  });

  it('not twice about the same words', () => {
    const { step } = stepAfter();
    const { eager } = step.context;
    expect(stepAfter({ eager }).isAsked).toBe(false);
  });
});

describe('the words of an interim, when finals are slow', () => {
  const parameters = {
    ...CALL_PARAMETERS,
    transcriberTraits: { ...CALL_PARAMETERS.transcriberTraits, finalP99Ms: 2_000 },
  };
  const userTurn = { ...SILENT_USER, endedUs: 2_000_000, speech: speechOf({ interim: TEXT, interimEndMs: 2_000 }) };
  const context = { parameters, userTurn };

  it('are watched for a while first', () => {
    const { step, isAsked } = stepAfter(context, { type: 'transcriber.interim', text: TEXT, startMs: 0, endMs: 2_000 });
    expect(isAsked).toBe(false);
    expect(issuedCommands(step)).toEqual([{ type: 'timer.start', timer: 'ask_ahead', delayMs: STABLE_MS }]);
  });

  it('are asked about when they have not changed since, and by no other event or timer', () => {
    const { eager } = stepAfter(context).step.context;
    expect(stepAfter({ ...context, eager }, ASK_AHEAD).isAsked).toBe(true);
    expect(stepAfter({ ...context, eager }, { type: 'timer', timer: 'presence' }).isAsked).toBe(false);
    expect(stepAfter({ ...context, eager }).isAsked).toBe(false);
    expect(stepAfter(context, ASK_AHEAD).isAsked).toBe(false);
  });
});
