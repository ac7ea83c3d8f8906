/** Topic `tools`. */
export interface ToolsSlice {
  readonly runningTools: readonly RunningTool[];
  /** Fillers of a reply that wait for the running extraction. */
  readonly awaitedFillers: AwaitedFillers | null;
}

export interface RunningTool {
  readonly toolCallId: string;
  readonly name: string;
  readonly startedUs: number;
  /** The reply and the history item of the tool call. */
  readonly reply: number;
  readonly item: number;
}

export interface AwaitedFillers {
  readonly reply: number;
  /** `prompt`: that of the next state, which needs the values too. `item`: the history item of the filler. */
  readonly fillers: readonly {
    readonly text: string;
    readonly interruptible: boolean;
    readonly prompt: string;
    readonly item: number;
  }[];
}

export const INITIAL_TOOLS: ToolsSlice = { runningTools: [], awaitedFillers: null };
