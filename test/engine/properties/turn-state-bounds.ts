import { isIn, isOver } from '../../../engine/session/machine/machine-transition.ts';
import type { CallDriver } from './call-driver.ts';

/**
 * The violations in the current turn state. In each state a timer must run that ends it, or the user must be able to
 * speak. Otherwise the call could stay silent forever.
 */
export function boundViolations({ state, runningTimers }: CallDriver): readonly string[] {
  const { snapshot } = state;
  if (snapshot === null || isOver(snapshot)) return [];
  const { reply, dtmf, initialMessage, failover, haltedSinceUs, endReason } = snapshot.context;
  const turnState = snapshot.leaves.find(({ path }) => path.startsWith('turn.'))?.path ?? '';
  const isReplying = isIn(snapshot, 'turn.replying');
  if (endReason !== null) return [];
  const isRunning = (...names: readonly string[]) =>
    [...runningTimers].some((timer) => names.some((name) => timer === name || timer.startsWith(`${name}.`)));
  const violations: string[] = [];
  const expectThat = (holds: boolean, violation: string) => {
    if (!holds) violations.push(violation);
  };
  const isAgentTurn = isReplying || turnState === 'turn.transferring';
  expectThat(isAgentTurn === (reply !== null), `turn state ${turnState} with a reply: ${reply !== null}`);
  const isWithheld = turnState === 'turn.replying.withheld';
  const mustBeWithheld = reply?.pending != null && reply.pending.phase !== 'ended';
  expectThat(
    isWithheld === mustBeWithheld,
    `turn state ${turnState} with a reply that must be withheld: ${mustBeWithheld}`,
  );
  if (turnState === 'turn.userSpeaking' || isWithheld) {
    const isEnteringDtmf = dtmf.openEntry !== null && isRunning('dtmf_entry');
    const isPartlyTranscribed = failover.transcriber.gap !== null && isRunning('transcriber');
    expectThat(isRunning('endpoint') || isEnteringDtmf || isPartlyTranscribed, 'no timer ends the user turn');
  }
  if (turnState === 'turn.machineSpeaking')
    expectThat(isRunning('machine_turn_limit'), 'no timer ends the machine’s turn');
  if (turnState === 'turn.transferring') expectThat(isRunning('transfer'), 'no timer ends the transfer');
  if (turnState === 'turn.listening' && initialMessage !== 'done') {
    expectThat(
      isRunning('initial_message', 'callee_first_word', 'screening_wait'),
      'no timer starts the initial message',
    );
  }
  if (isReplying && !isWithheld) {
    if (turnState === 'turn.replying.paused')
      expectThat(isRunning('interruption'), 'no timer ends the pause of playback');
    else
      expectThat(
        haltedSinceUs !== null || isRunning('generation', 'voice', 'playout', 'tool', 'send_dtmf', 'dtmf_entry'),
        'no timer ends the reply',
      );
  }
  return violations;
}
