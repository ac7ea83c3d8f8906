import type { AgentConfiguration } from '../../agent/agent.ts';
import type { CallContext } from '../../core/context.ts';
import { INITIAL_ANSWERING_MACHINE } from '../../core/state/answering-machine-slice.ts';
import type { CallParameters } from '../../core/state/call-parameters.ts';
import { initialCall } from '../../core/state/call-slice.ts';
import { INITIAL_DTMF } from '../../core/state/dtmf-slice.ts';
import { INITIAL_FAILOVER } from '../../core/state/failover-slice.ts';
import { INITIAL_GENERATION } from '../../core/state/generation-slice.ts';
import { INITIAL_INTERRUPTION } from '../../core/state/interruption-slice.ts';
import { INITIAL_METRICS } from '../../core/state/metrics-slice.ts';
import { INITIAL_PLAYOUT } from '../../core/state/playout-slice.ts';
import { INITIAL_TOOLS } from '../../core/state/tools-slice.ts';
import { INITIAL_TRANSCRIPT } from '../../core/state/transcript-slice.ts';
import { initialTurns } from '../../core/state/turns-slice.ts';
import { INITIAL_USER_TURN } from '../../core/state/user-turn-slice.ts';
import { initialVariablesSlice } from '../../core/state/variables-slice.ts';
import { initialVariables } from '../../variables/initial-variables.ts';

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
