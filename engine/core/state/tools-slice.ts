/** Topic `tools`. */
export interface ToolsSlice {
  readonly runningTools: readonly RunningTool[];
}

export interface RunningTool {
  readonly toolCallId: string;
  readonly name: string;
  readonly startedUs: number;
  /** The reply and the history item of the tool call. */
  readonly reply: number;
  readonly item: number;
}

export const INITIAL_TOOLS: ToolsSlice = { runningTools: [] };
