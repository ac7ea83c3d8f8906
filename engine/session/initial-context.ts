import type { AgentConfiguration } from '../agent/agent.ts';
import type { CallParameters } from '../core/call-parameters.ts';
import type { CallContext } from '../core/context.ts';
import { INITIAL_ANSWERING_MACHINE } from '../core/state/answering-machine.ts';
import { initialCall } from '../core/state/call.ts';
import { INITIAL_DTMF } from '../core/state/dtmf.ts';
import { INITIAL_FAILOVER } from '../core/state/failover.ts';
import { INITIAL_GENERATION } from '../core/state/generation.ts';
import { INITIAL_INTERRUPTION } from '../core/state/interruption.ts';
import { INITIAL_METRICS } from '../core/state/metrics.ts';
import { INITIAL_PLAYOUT } from '../core/state/playout.ts';
import { INITIAL_TOOLS } from '../core/state/tools.ts';
import { INITIAL_TRANSCRIPT } from '../core/state/transcript.ts';
import { initialTurns } from '../core/state/turns.ts';
import { INITIAL_USER_TURN } from '../core/state/user-turn.ts';
import { initialVariablesSlice } from '../core/state/variables.ts';
import { initialVariables } from '../variables/initial-variables.ts';

export function initialContext(agent: AgentConfiguration, parameters: CallParameters): CallContext {
  return {
    ...initialCall(agent, parameters),
    ...initialTurns(agent),
    ...INITIAL_USER_TURN,
    ...INITIAL_INTERRUPTION,
    ...INITIAL_GENERATION,
    ...INITIAL_PLAYOUT,
    ...INITIAL_TOOLS,
    ...INITIAL_DTMF,
    ...INITIAL_ANSWERING_MACHINE,
    ...INITIAL_TRANSCRIPT,
    ...initialVariablesSlice(initialVariables(agent, parameters)),
    ...INITIAL_FAILOVER,
    ...INITIAL_METRICS,
  };
}
