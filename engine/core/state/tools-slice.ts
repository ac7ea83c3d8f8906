/** Topics `tools` and `fillers`. */
export interface ToolsSlice {
  readonly runningTools: readonly RunningTool[];
  /** Tool fillers said since the last tool call began. */
  readonly toolFillersSaid: number;
}

export interface RunningTool {
  readonly toolCallId: string;
  readonly name: string;
  readonly startedUs: number;
  /** The reply and the history item of the tool call. */
  readonly utterance: number;
  readonly item: number;
}

export const INITIAL_TOOLS: ToolsSlice = { runningTools: [], toolFillersSaid: 0 };
