import type { Driver } from './any-driver.ts';

/**
 * What is wrong with the turn: in each of its states a timer runs that ends it, or the user may speak. A state without
 * one is a silence without a bound.
 */
export function unboundedTurn({ state, timers }: Driver): readonly string[] {
  const { snapshot } = state;
  if (snapshot === null || snapshot.status !== 'active') return [];
  const { context, value } = snapshot;
  const { reply, eager, dtmf, greeting, failover, haltedSinceUs, endReason } = context;
  const floor = typeof value === 'object' && 'turn' in value ? value.turn : '';
  if (endReason !== null) return [];
  const runs = (...names: readonly string[]) =>
    [...timers].some((timer) => names.some((name) => timer === name || timer.startsWith(`${name}.`)));
  const faults: string[] = [];
  const must = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  const isOurs = typeof floor === 'object' || floor === 'transferring';
  must(isOurs === (reply !== null), `the floor is ${JSON.stringify(floor)}, with a reply: ${reply !== null}`);
  must(eager.running === null || floor === 'userSpeaking', 'asked ahead, and the floor is not the caller’s');
  if (floor === 'userSpeaking') {
    const isPressing = dtmf.openEntry !== null && runs('dtmf_entry');
    const isHalfHeard = failover.transcriber.gap !== null && runs('transcriber');
    must(runs('endpoint') || isPressing || isHalfHeard, 'no end of the turn');
  }
  if (floor === 'machineSpeaking') must(runs('machine_turn_limit'), 'no end of the machine');
  if (floor === 'transferring') must(runs('transfer'), 'no end of the transfer');
  if (floor === 'listening' && greeting !== 'done') {
    must(runs('initial_message', 'callee_first_word', 'screening_wait'), 'no moment of the initial message');
  }
  if (typeof floor === 'object') {
    const paused = JSON.stringify(floor).includes('paused');
    if (paused) must(runs('interruption'), 'no end of the pause');
    else
      must(
        haltedSinceUs !== null || runs('generation', 'voice', 'playout', 'tool', 'send_dtmf'),
        'no end of the reply',
      );
  }
  return faults;
}
