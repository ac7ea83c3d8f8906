import { extname } from 'node:path';
import type { AgentConfiguration } from '../../engine/agent/agent-schema.ts';
import type { GenerationHandle, LanguageModel } from '../../engine/ports/language-model.ts';
import type { ToolRunner } from '../../engine/ports/tool-runner.ts';
import { JobProcess } from '../background/job-process/job-process.ts';
import { withReferences } from '../calls/agents/agent-cache.ts';
import type { ConversationReport, TestRunAnswer, TestRunJob, TestRunMessage, TestRunReply } from './test-run.ts';
import type { PlacedFault } from './yaml-source.ts';

/** Duration of a run: its request is answered before proxies give up, which they do after a minute (nginx: `proxy_read_timeout`). */
const RUN_MS_MAX = 50_000;
/** Characters of all results together: this process holds them, and the response carries them. */
const OUTPUT_CHARACTERS_MAX = 1_000_000;
/** Runs of a node, each of another organization. */
const RUNS_MAX = 2;
/** A test file of the largest size with its conversations takes a third of it. */
const BOUNDS = { heapMib: 192, residentMib: 400 };

export interface AgentTestRunsOptions {
  /** Language models of one run. */
  readonly model: () => LanguageModel;
  /** Why they cannot be asked; null: they can. */
  readonly missingModel: (agent: AgentConfiguration) => string | null;
  /** Runs the functions of an agent whose secret headers are given sealed, like those of a call. */
  readonly tools: (
    agent: { readonly sealedSecrets: ReadonlyMap<string, string> },
    organizationId: string,
  ) => ToolRunner;
  /** For tests. */
  readonly runMsMax?: number;
  readonly outputCharactersMax?: number;
}

export interface AgentTestRequest {
  readonly organizationId: string;
  /** As the database stores it, with sealed secret headers. */
  readonly configuration: AgentConfiguration;
  readonly content: string;
}

export interface AgentTestRun {
  /** Why the file could not run; empty: it did. */
  readonly faults: readonly PlacedFault[];
  /** Number of conversations in the file. */
  readonly conversations: number;
  /** Those that ran. */
  readonly reports: readonly ConversationReport[];
  /** Why conversations did not run; null: all did. */
  readonly stopped: 'too_long' | 'too_much_memory' | 'too_much_output' | 'failed' | null;
}

type TestProcess = JobProcess<TestRunJob, TestRunAnswer, TestRunMessage, TestRunReply>;

/**
 * Runs test files against stored agents, each in a separate process: a regular expression or an alias in a file can be built to run
 * forever or to fill the memory. That process has no environment, no keys and opens no connection. The language model is asked, and
 * functions without a result in the file are run, by this process, like those of a call.
 */
export class AgentTestRuns {
  readonly #options: AgentTestRunsOptions;
  /** By organization. */
  readonly #running = new Map<string, TestProcess>();

  constructor(options: AgentTestRunsOptions) {
    this.#options = options;
  }

  /**
   * null: a run of the organization is in progress, or `RUNS_MAX` of others. An abort of `signal` ends the run.
   */
  run(request: AgentTestRequest, signal: AbortSignal): Promise<AgentTestRun> | null {
    const { organizationId } = request;
    if (this.#running.has(organizationId) || this.#running.size >= RUNS_MAX) return null;
    const script = new URL(`./test-run-job${extname(import.meta.url)}`, import.meta.url);
    const process: TestProcess = new JobProcess(script, BOUNDS);
    this.#running.set(organizationId, process);
    return this.#run(process, request, signal).finally(() => {
      process.end();
      this.#running.delete(organizationId);
    });
  }

  close(): void {
    for (const process of this.#running.values()) process.end();
  }

  async #run(process: TestProcess, request: AgentTestRequest, signal: AbortSignal): Promise<AgentTestRun> {
    const { configuration, sealedSecrets } = withReferences(request.configuration);
    const {
      missingModel,
      model,
      outputCharactersMax = OUTPUT_CHARACTERS_MAX,
      runMsMax = RUN_MS_MAX,
      tools,
    } = this.#options;
    const outside = new OutsideWork(model(), tools({ sealedSecrets }, request.organizationId), (reply) =>
      process.post(reply),
    );
    const reports: ConversationReport[] = [];
    let conversations = 0;
    const onMessage = (message: TestRunMessage): void => {
      if (message.type === 'began') conversations = message.conversations;
      else if (message.type === 'reported') reports.push(message.report);
      else outside.take(message);
    };
    const end = (): void => process.end();
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    const job: TestRunJob = {
      content: request.content,
      configuration,
      missingModel: missingModel(configuration),
      outputCharactersMax,
    };
    const outcome = await process.run(job, runMsMax, onMessage);
    signal.removeEventListener('abort', end);
    outside.cancel();
    if (outcome.type !== 'answered') return { faults: [], conversations, reports, stopped: outcome.type };
    const { faults, tooMuchOutput } = outcome.answer;
    return { faults, conversations, reports, stopped: tooMuchOutput ? 'too_much_output' : null };
  }
}

/** A request of the test process. */
class OutsideWork {
  readonly #model: LanguageModel;
  readonly #tools: ToolRunner;
  readonly #reply: (reply: TestRunReply) => void;
  readonly #generations = new Map<number, GenerationHandle>();

  constructor(model: LanguageModel, tools: ToolRunner, reply: (reply: TestRunReply) => void) {
    this.#model = model;
    this.#tools = tools;
    this.#reply = reply;
  }

  take(asked: Extract<TestRunMessage, { readonly id: number }>): void {
    const { id } = asked;
    switch (asked.type) {
      case 'generate': {
        const handle = this.#model.generate(asked.request, (event) => {
          if (event.type === 'done' || event.type === 'failed') this.#generations.delete(id);
          this.#reply({ type: 'model', id, event });
        });
        this.#generations.set(id, handle);
        return;
      }
      case 'cancel':
        this.#generations.get(id)?.cancel();
        this.#generations.delete(id);
        return;
      case 'run_tool':
        this.#tools.run(asked.toolRun, (result) => this.#reply({ type: 'tool', id, result }), asked.toolCallId);
    }
  }

  /** Functions end by their own timeouts. */
  cancel(): void {
    for (const handle of this.#generations.values()) handle.cancel();
    this.#generations.clear();
  }
}
