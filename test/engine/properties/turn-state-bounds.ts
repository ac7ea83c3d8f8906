import type { CallDriver } from './call-driver.ts';

/**
 * The violations in the current turn state. In each state a timer must run that ends it, or the user must be able to
 * speak. Otherwise the call could stay silent forever.
 */
export function boundViolations({ state, runningTimers }: CallDriver): readonly string[] {
  const { snapshot } = state;
  if (snapshot === null || snapshot.status !== 'active') return [];
  const { context, value } = snapshot;
  const { reply, dtmf, initialMessage, failover, haltedSinceUs, endReason } = context;
  const turnState = typeof value === 'object' && 'turn' in value ? value.turn : '';
  if (endReason !== null) return [];
  const isRunning = (...names: readonly string[]) =>
    [...runningTimers].some((timer) => names.some((name) => timer === name || timer.startsWith(`${name}.`)));
  const violations: string[] = [];
  const expectThat = (holds: boolean, violation: string) => {
    if (!holds) violations.push(violation);
  };
  const isAgentTurn = typeof turnState === 'object' || turnState === 'transferring';
  expectThat(
    isAgentTurn === (reply !== null),
    `turn state ${JSON.stringify(turnState)} with a reply: ${reply !== null}`,
  );
  const isWithheld = typeof turnState === 'object' && turnState.replying === 'withheld';
  const mustBeWithheld = reply?.pending != null && reply.pending.phase !== 'ended';
  expectThat(
    isWithheld === mustBeWithheld,
    `turn state ${JSON.stringify(turnState)} with a reply that must be withheld: ${mustBeWithheld}`,
  );
  if (turnState === 'userSpeaking' || isWithheld) {
    const isEnteringDtmf = dtmf.openEntry !== null && isRunning('dtmf_entry');
    const isPartlyTranscribed = failover.transcriber.gap !== null && isRunning('transcriber');
    expectThat(isRunning('endpoint') || isEnteringDtmf || isPartlyTranscribed, 'no timer ends the user turn');
  }
  if (turnState === 'machineSpeaking') expectThat(isRunning('machine_turn_limit'), 'no timer ends the machine’s turn');
  if (turnState === 'transferring') expectThat(isRunning('transfer'), 'no timer ends the transfer');
  if (turnState === 'listening' && initialMessage !== 'done') {
    expectThat(
      isRunning('initial_message', 'callee_first_word', 'screening_wait'),
      'no timer starts the initial message',
    );
  }
  if (typeof turnState === 'object' && !isWithheld) {
    const paused = JSON.stringify(turnState).includes('paused');
    if (paused) expectThat(isRunning('interruption'), 'no timer ends the pause of playback');
    else
      expectThat(
        haltedSinceUs !== null || isRunning('generation', 'voice', 'playout', 'tool', 'send_dtmf', 'dtmf_entry'),
        'no timer ends the reply',
      );
  }
  return violations;
}
