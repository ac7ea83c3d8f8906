import type { AgentConfiguration } from '../../engine/agent/agent-schema.ts';
import type { ModelEvent, ModelRequest } from '../../engine/ports/language-model.ts';
import type { ToolResult, ToolRun } from '../../engine/ports/tool-runner.ts';
import type { ConsoleLine } from '../text-call/console-line.ts';
import type { ConversationFailure } from './run-conversation.ts';
import type { PlacedFault } from './yaml-source.ts';

/** The outcome of one conversation of a test file. */
export interface ConversationReport {
  readonly name: string;
  readonly durationMs: number;
  /** null: passed. */
  readonly failure: ConversationFailure | null;
  readonly transcript: readonly ConsoleLine[];
}

/** A test file and the agent that it tests. */
export interface TestRunJob {
  /** YAML, or JSON, which is a part of it. */
  readonly content: string;
  /** Secret headers are references. */
  readonly configuration: AgentConfiguration;
  /** Why the agent's language model cannot be asked; null: it can. */
  readonly missingModel: string | null;
  /** Bound of all results together. */
  readonly outputCharactersMax: number;
}

export interface TestRunAnswer {
  /** Why no conversation ran. */
  readonly faults: readonly PlacedFault[];
  /** The results were larger than their bound: the conversations after that did not run. */
  readonly tooMuchOutput: boolean;
}

/** From the process of the tests to its parent, which has the keys of the providers and the network. */
export type TestRunMessage =
  | { readonly type: 'began'; readonly conversations: number }
  | { readonly type: 'reported'; readonly report: ConversationReport }
  | { readonly type: 'generate'; readonly id: number; readonly request: ModelRequest }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'run_tool'; readonly id: number; readonly toolRun: ToolRun; readonly toolCallId: string };

/** From the parent to the process of the tests. */
export type TestRunReply =
  | { readonly type: 'model'; readonly id: number; readonly event: ModelEvent }
  | { readonly type: 'tool'; readonly id: number; readonly result: ToolResult };
