import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import { INITIAL_PRESENCE } from '../../../engine/core/state/presence-slice.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import {
  canCheckPresenceAgain,
  checkPresence,
  isWaitingForUser,
  startPresenceTimer,
} from '../../../engine/presence/presence-check.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { ruleStep, spokenTexts } from '../simulation/rule-step.ts';

const THRESHOLD_MS = 3_000;
const AGENT = agentWith({
  presence_check_phrases: ['Are you there?', 'Hello?'],
  presence_check_idle_threshold: THRESHOLD_MS / 1000,
  presence_check_max_times: 3,
});
const { presence: NO_CHECKS } = INITIAL_PRESENCE;
/** Neither party speaks, and nothing runs. */
const SILENT: Partial<CallContext> = { agent: AGENT, idle: true, initialMessage: 'done' };

describe('the agent waits for the user', () => {
  const isWaiting = (changes: Partial<CallContext>) => isWaitingForUser(ruleStep({ ...SILENT, ...changes }).context);
  const { dtmf } = ruleStep().context;
  const replying = ruleStep();
  startReply(replying, null);

  it('once both parties are silent and nothing runs', () => {
    expect(isWaiting({})).toBe(true);
  });

  it.each<[string, Partial<CallContext>]>([
    ['a party speaks', { idle: false }],
    ['a reply is being made or played', { reply: replying.context.reply }],
    ['the call is on hold', { haltedSinceUs: 0 }],
    ['a tool runs', { runningTools: [{ toolCallId: 'a', name: 'lookup', startedUs: 0, reply: 1, item: 1 }] }],
    [
      'the user enters digits',
      { dtmf: { ...dtmf, openEntry: { type: 'digits', digits: '1', startUs: 0, endUs: 0, activityEndedUs: null } } },
    ],
    ['the initial message is not said yet', { initialMessage: 'scheduled' }],
    ['the initial message is due', { initialMessage: 'pending' }],
    ['the agent has no phrases for a silent user', { agent: agentWith({ presence_check_phrases: [] }) }],
  ])('not while %s', (_case, changes) => {
    expect(isWaiting(changes)).toBe(false);
  });
});

describe('the presence check', () => {
  const AT_MS = 20_000;
  /** From now to the check. */
  const delayMs = (presence: Partial<CallContext['presence']>, agentSoundMs = 0) => {
    const { fillers } = ruleStep().context;
    const step = ruleStep(
      {
        ...SILENT,
        presence: { ...NO_CHECKS, ...presence },
        fillers: { ...fillers, agentSoundUs: agentSoundMs * 1000 },
      },
      AT_MS,
    );
    startPresenceTimer(step);
    const [timer] = step.commands;
    expect(step.commands).toHaveLength(1);
    expect(timer).toMatchObject({ type: 'timer.start', timer: 'presence' });
    expect(step.context.presence.waitingSinceUs).toBe(
      Math.max(presence.waitingSinceUs ?? AT_MS * 1000, agentSoundMs * 1000),
    );
    return timer?.type === 'timer.start' ? timer.delayMs : null;
  };

  it('comes after the silence of the threshold', () => {
    expect(delayMs({})).toBe(THRESHOLD_MS);
  });

  it('counts the silence from its start, whatever sounds without words came since', () => {
    expect(delayMs({ waitingSinceUs: (AT_MS - 1_000) * 1000 })).toBe(THRESHOLD_MS - 1_000);
    expect(delayMs({ waitingSinceUs: (AT_MS - THRESHOLD_MS - 1_000) * 1000 })).toBe(0);
  });

  it('counts the silence from the end of the agent’s speech', () => {
    expect(delayMs({ waitingSinceUs: (AT_MS - 2_000) * 1000 }, AT_MS - 500)).toBe(THRESHOLD_MS - 500);
  });

  it('does not come before the end of the time that the user asked for', () => {
    expect(delayMs({ pausedUntilUs: (AT_MS + 60_000) * 1000 })).toBe(60_000);
    expect(delayMs({ pausedUntilUs: (AT_MS + 1_000) * 1000 })).toBe(THRESHOLD_MS);
  });

  it('does not come early by a part of a millisecond', () => {
    expect(delayMs({ waitingSinceUs: (AT_MS - 1_000) * 1000 + 1 })).toBe(THRESHOLD_MS - 1_000 + 1);
  });

  it('says the phrases in turn, from the first one on, as often as the agent allows', () => {
    let presence = NO_CHECKS;
    const said: (readonly string[])[] = [];
    while (said.length < 2 * AGENT.presence_check_max_times) {
      const step = ruleStep({ ...SILENT, presence }, AT_MS);
      if (!canCheckPresenceAgain(step.context)) break;
      checkPresence(step);
      said.push(spokenTexts(step));
      presence = step.context.presence;
    }
    expect(said).toEqual([['Are you there?'], ['Hello?'], ['Are you there?']]);
  });
});
