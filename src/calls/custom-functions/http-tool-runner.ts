import type { ToolResult, ToolRun, ToolRunner } from '../../../engine/ports/tool-runner.ts';
import { type TraceContext, toolContext } from '../../observability/opentelemetry/trace-context.ts';
import type { GuardedRequest, GuardedResponse } from '../../outgoing-http/guarded-http.ts';
import { HttpGuardError } from '../../outgoing-http/http-guard-error.ts';
import { answeredResult, failedResult, isGood } from './http-tool-result.ts';
import type { MappingPool } from './mapping-pool.ts';
import { isSingularPath, type MappingOutcome, mapResponse } from './response-mapping.ts';
import { type ResolveSecret, toolRequest } from './tool-request.ts';

/** The part of the guarded HTTP client that tools use. */
interface HttpClient {
  request(request: GuardedRequest): Promise<GuardedResponse>;
}

export interface HttpToolRunnerOptions {
  readonly http: HttpClient;
  readonly mappings: Pick<MappingPool, 'map'>;
  /** The organization of the function: organizations share the mapping processes. */
  readonly organizationId: string;
  readonly resolveSecret: ResolveSecret;
  /** The trace of the call; null without traces. */
  readonly trace?: TraceContext | null;
}

/** Longer documents are parsed in a child process. Parsing this many bytes takes the main thread less than a millisecond. */
const INLINE_BYTES_MAX = 65_536;
/** Minimum time for mapping a response that arrives at the end of the timeout. */
const MAPPING_TIMEOUT_MS_MIN = 50;

const NOTHING_MAPPED: MappingOutcome = { mapped: [], problems: [] };

/** Runs custom functions through the guarded HTTP client. */
export class HttpToolRunner implements ToolRunner {
  readonly #options: HttpToolRunnerOptions;

  constructor(options: HttpToolRunnerOptions) {
    this.#options = options;
  }

  run(toolRun: ToolRun, done: (result: ToolResult) => void, toolCallId: string): void {
    this.#result(toolRun, toolCallId).then(done, (error: unknown) => done(failedResult(reasonOf(error))));
  }

  async #result(toolRun: ToolRun, toolCallId: string): Promise<ToolResult> {
    const startedAt = performance.now();
    const { resolveSecret, trace = null } = this.#options;
    const request = toolRequest(toolRun, resolveSecret, trace === null ? null : toolContext(trace, toolCallId));
    const response = await this.#options.http.request(request);
    const text = new TextDecoder().decode(response.body);
    const mapping = toolRun.tool.response_mapping;
    if (mapping.length === 0 || !isGood(response.status) || response.cutOff) {
      return answeredResult(response, text, NOTHING_MAPPED);
    }
    const inline =
      response.body.byteLength <= INLINE_BYTES_MAX &&
      mapping.every(({ json_path_to_data }) => isSingularPath(json_path_to_data));
    if (inline) return answeredResult(response, text, mapResponse(text, mapping));
    const leftMs = request.timeoutMs - (performance.now() - startedAt);
    const { mappings, organizationId } = this.#options;
    const timeoutMs = Math.max(leftMs, MAPPING_TIMEOUT_MS_MIN);
    const outcome = await mappings.map(organizationId, { text, mapping }, timeoutMs);
    return answeredResult(response, text, outcome);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof HttpGuardError && error.code === 'refused_address') return 'its address is not allowed';
  return error instanceof Error ? error.message : 'of an unknown reason';
}
