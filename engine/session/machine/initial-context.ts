import type { AgentConfiguration } from '../../agent/agent-schema.ts';
import type { CallContext } from '../../core/context.ts';
import { INITIAL_ANSWERING_MACHINE } from '../../core/state/answering-machine-slice.ts';
import type { CallParameters } from '../../core/state/call-parameters.ts';
import { INITIAL_DTMF } from '../../core/state/dtmf-slice.ts';
import { INITIAL_FAILOVER } from '../../core/state/failover-slice.ts';
import { INITIAL_FILLERS } from '../../core/state/fillers-slice.ts';
import { INITIAL_GENERATION } from '../../core/state/generation-slice.ts';
import { INITIAL_HISTORY_SUMMARY } from '../../core/state/history-summary-slice.ts';
import { INITIAL_INTERRUPTION } from '../../core/state/interruption-slice.ts';
import { initialLifecycle } from '../../core/state/lifecycle-slice.ts';
import { INITIAL_METRICS } from '../../core/state/metrics-slice.ts';
import { INITIAL_PLAYOUT } from '../../core/state/playout-slice.ts';
import { INITIAL_PRESENCE } from '../../core/state/presence-slice.ts';
import { INITIAL_RECORDING } from '../../core/state/recording-slice.ts';
import { INITIAL_TOOLS } from '../../core/state/tools-slice.ts';
import { INITIAL_TRANSCRIPT } from '../../core/state/transcript-slice.ts';
import { INITIAL_TURN_DETECTION } from '../../core/state/turn-detection-slice.ts';
import { initialTurnTaking } from '../../core/state/turn-taking-slice.ts';
import { INITIAL_VARIABLE_EXTRACTION } from '../../core/state/variable-extraction-slice.ts';
import { initialVariablesSlice } from '../../core/state/variables-slice.ts';
import { initialVariables } from '../../variables/initial-variables.ts';

export function initialContext(agent: AgentConfiguration, parameters: CallParameters): CallContext {
  return {
    ...initialLifecycle(agent, parameters),
    ...initialTurnTaking(agent),
    ...INITIAL_PRESENCE,
    ...INITIAL_TURN_DETECTION,
    ...INITIAL_INTERRUPTION,
    ...INITIAL_GENERATION,
    ...INITIAL_PLAYOUT,
    ...INITIAL_TOOLS,
    ...INITIAL_FILLERS,
    ...INITIAL_DTMF,
    ...INITIAL_ANSWERING_MACHINE,
    ...INITIAL_TRANSCRIPT,
    ...INITIAL_HISTORY_SUMMARY,
    ...initialVariablesSlice(initialVariables(agent, parameters)),
    ...INITIAL_VARIABLE_EXTRACTION,
    ...INITIAL_FAILOVER,
    ...INITIAL_RECORDING,
    ...INITIAL_METRICS,
  };
}
