import type { CallCommand } from '../../../engine/core/command.ts';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { EngineNotice } from '../../../engine/core/notice.ts';
import { RuleStep } from '../../../engine/core/rule-step.ts';
import type { FollowUp } from '../../../engine/core/state/playout-slice.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from './agent-with.ts';

/** The follow-up of `hang_up`: the call ends after the goodbye. */
export const HANG_UP_AFTER_GOODBYE: FollowUp = {
  type: 'end',
  reason: 'agent_hangup',
  result: { call: { id: 'bye', name: 'hang_up' }, sequence: 0, startUs: 0 },
};

const CALL_OFFERED: CallEvent = { type: 'call.offered' };

/** One step of the rules, in a call that was answered at 0. `atMs` is both the engine's time and the audio time. */
export function ruleStep(
  contextChanges: Partial<CallContext> = {},
  atMs = 0,
  event: CallEvent = CALL_OFFERED,
): RuleStep {
  const context = { ...initialContext(agentWith({}), CALL_PARAMETERS), answeredUs: 0, ...contextChanges };
  return new RuleStep(context, event, { atUs: atMs * 1000, audioClock: { epochUs: 0, gaps: [] }, audioMs: atMs });
}

/** The texts that the step gives to the voice. */
export function spokenTexts(step: RuleStep): readonly string[] {
  return step.commands.flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));
}

/** The notices of the step. */
export function notices(step: RuleStep): readonly EngineNotice[] {
  return step.commands.flatMap((command) => (command.type === 'log' ? [command.notice] : []));
}

/** The step's commands, without notices. */
export function issuedCommands(step: RuleStep): readonly CallCommand[] {
  return step.commands.filter(({ type }) => type !== 'log');
}
