import { expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { Reply, Segment } from '../../../engine/core/state/playout-slice.ts';
import { canSendDtmf } from '../../../engine/dtmf/send-dtmf.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { RUNNING_GENERATION } from '../turn-taking/running-generation.ts';

const PLAYED: Segment = {
  number: 1,
  item: 1,
  text: 'One moment.',
  interruptible: true,
  requestedUs: 0,
  voiceStartedUs: 0,
  durationMs: 1_000,
  words: [],
  playout: { startedUs: 0, startMs: 0 },
  ended: true,
};
const WAITING = { toolCallId: 'a', name: 'press', digits: '1', sent: false };

function canSend(context: Partial<CallContext> = {}, reply: Partial<Reply> | null = {}): boolean {
  const step = ruleStep({ outgoingDtmf: [WAITING], ...context });
  if (reply !== null) {
    startReply(step, null);
    changeReply(step, { segments: [PLAYED], ...reply });
  }
  return canSendDtmf(step.context);
}

it('digits are sent once the speech before them was played', () => {
  expect(canSend()).toBe(true);
  expect(canSend({}, { segments: [] })).toBe(true);
  expect(canSend({}, { segments: [PLAYED, { ...PLAYED, number: 2, ended: false }] })).toBe(false);
});

it('digits wait while no audio reaches the peer', () => {
  expect(canSend({ haltedSinceUs: 0 })).toBe(false);
});

it('digits are sent once, and none without a call for them', () => {
  expect(canSend({ outgoingDtmf: [] })).toBe(false);
  expect(canSend({ outgoingDtmf: [{ ...WAITING, sent: true }] })).toBe(false);
  expect(canSend({ outgoingDtmf: [{ ...WAITING, sent: true }, WAITING] })).toBe(true);
});

it('digits wait for the rest of the response that asks for them', () => {
  expect(canSend({}, null)).toBe(false);
  expect(canSend({}, { generation: RUNNING_GENERATION })).toBe(false);
});
