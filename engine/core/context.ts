import type { AnsweringMachineSlice } from './state/answering-machine-slice.ts';
import type { CallSlice } from './state/call-slice.ts';
import type { DtmfSlice } from './state/dtmf-slice.ts';
import type { FailoverSlice } from './state/failover-slice.ts';
import type { GenerationSlice } from './state/generation-slice.ts';
import type { InterruptionSlice } from './state/interruption-slice.ts';
import type { MetricsSlice } from './state/metrics-slice.ts';
import type { PlayoutSlice } from './state/playout-slice.ts';
import type { ToolsSlice } from './state/tools-slice.ts';
import type { TranscriptSlice } from './state/transcript-slice.ts';
import type { TurnsSlice } from './state/turns-slice.ts';
import type { UserTurnSlice } from './state/user-turn-slice.ts';
import type { VariablesSlice } from './state/variables-slice.ts';

/**
 * The state of a call between two events, composed of the topics' slices. Plain data that is replaced, never mutated.
 * Records with user-defined keys are Maps.
 */
export interface CallContext
  extends CallSlice,
    TurnsSlice,
    UserTurnSlice,
    InterruptionSlice,
    GenerationSlice,
    PlayoutSlice,
    ToolsSlice,
    DtmfSlice,
    AnsweringMachineSlice,
    TranscriptSlice,
    VariablesSlice,
    FailoverSlice,
    MetricsSlice {}
