import type { Clock } from '../../../base/time/clock.ts';
import { pause } from '../../../base/time/pause.ts';
import { withOverrides } from '../../../engine/agent/agent-overrides.ts';
import type { LanguageModel } from '../../../engine/ports/language-model.ts';
import { parseJson } from '../../../engine/variables/coercion.ts';
import type { Log } from '../../log/log.ts';
import type { PostCallAnswer } from '../../storage/post-call/post-call-answer.ts';
import type { PostCallQuestion } from '../../storage/post-call/post-call-question-repository.ts';
import type { PostCallJob } from '../../storage/post-call/post-call-repository.ts';
import type { Repositories } from '../../storage/repositories.ts';
import { parseAnswers } from './answer-parser.ts';
import { type CollectedResponse, collectResponse } from './model-response.ts';
import { type AskedCall, type QuestionRequest, questionRequests } from './question-request.ts';

/** Calls processed simultaneously. The others wait in the database. */
const RUNS_MAX = 4;
/** Delays before the second and each further attempt, ms. After the last one, open questions stay unanswered. */
const RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000] as const;
/** Poll interval, for jobs whose wake-up was lost. */
const POLL_MS = 15_000;
/** Pause after an error, such as a failed database write. */
const FAULT_PAUSE_MS = 1_000;

export interface PostCallRunnerOptions {
  readonly repositories: Pick<Repositories, 'agents' | 'calls' | 'journal' | 'postCall' | 'postCallQuestions'>;
  /** Language model adapter of a provider. null: not configured. */
  readonly model: (provider: string | undefined) => LanguageModel | null;
  readonly clock: Pick<Clock, 'wallMs' | 'after'>;
  readonly log: Pick<Log, 'warn'>;
  /** Called when webhook events of a call may be due. */
  readonly onStored: (callId: string) => void;
}

/** Answers the post-call questions of ended calls. */
export class PostCallRunner {
  readonly #options: PostCallRunnerOptions;
  /** Running jobs by call id. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #looking = false;
  #lookAgain = false;
  #cancelTimer = (): void => {};

  constructor(options: PostCallRunnerOptions) {
    this.#options = options;
  }

  /** Checks for due jobs. Called at the start and after the end of a call. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#lookAgain = true;
    if (!this.#looking) void this.#look();
  }

  /** Starts no further job and aborts running ones. They continue after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelTimer();
    await Promise.all(this.#running.values());
  }

  async #look(): Promise<void> {
    this.#looking = true;
    let delayMs = POLL_MS;
    while (this.#lookAgain) {
      this.#lookAgain = false;
      try {
        delayMs = await this.#startDue();
      } catch (error) {
        this.#options.log.warn({ err: error }, 'post-call job read failed');
      }
    }
    this.#looking = false;
    this.#cancelTimer();
    if (!this.#stopping.signal.aborted) {
      this.#cancelTimer = this.#options.clock.after(Math.max(0, Math.min(delayMs, POLL_MS)), () => this.wake());
    }
  }

  /** Starts due jobs within the limit. Resolves to the delay until the next one in ms. */
  async #startDue(): Promise<number> {
    const { clock, repositories } = this.#options;
    const nowMs = clock.wallMs();
    const due = await repositories.postCall.due(nowMs, RUNS_MAX + this.#running.size);
    for (const job of due) {
      if (this.#stopping.signal.aborted || this.#running.size >= RUNS_MAX) break;
      if (!this.#running.has(job.callId)) this.#start(job);
    }
    const nextMs = await repositories.postCall.nextAttemptMs(nowMs);
    return nextMs === null ? POLL_MS : nextMs - nowMs;
  }

  #start(job: PostCallJob): void {
    const { clock, log } = this.#options;
    const run = this.#attempt(job)
      .catch((error: unknown) => {
        log.warn({ err: error, call_id: job.callId }, 'post-call run failed');
        return pause(clock, FAULT_PAUSE_MS, this.#stopping.signal);
      })
      .then(() => {
        this.#running.delete(job.callId);
        this.wake();
      });
    this.#running.set(job.callId, run);
  }

  async #attempt({ callId, attempts }: PostCallJob): Promise<void> {
    const { clock, log, onStored, repositories } = this.#options;
    const { postCall } = repositories;
    const delayMs = RETRY_DELAYS_MS[attempts] ?? null;
    // Stored before the attempt: an attempt that fails or crashes the process is retried only after a pause.
    if (!(await postCall.begin(callId, clock.wallMs() + (delayMs ?? 0)))) return;
    const asked = await this.#askedCall(callId);
    const questions = asked === null ? [] : await this.#activeQuestions(asked.agentId);
    if (asked === null || questions.length === 0) return postCall.drop(callId);

    const requests = questionRequests(asked, questions);
    // Attempts that crashed the process were counted, too: after the last one no further attempt follows.
    const responses = attempts > RETRY_DELAYS_MS.length ? [] : await this.#askAll(requests);
    if (this.#stopping.signal.aborted) return postCall.postpone(callId, clock.wallMs());
    const failure = responses.find((response) => response.type === 'failed');
    if (failure !== undefined) {
      log.warn({ call_id: callId, reason: failure.reason, attempt: attempts + 1 }, 'post-call questions unanswered');
    }
    const again = responses.some((response) => response.type === 'failed' && response.canTryAgain);
    if (again && delayMs !== null) return postCall.postpone(callId, clock.wallMs() + delayMs);

    const stillAsked = new Set((await this.#activeQuestions(asked.agentId)).map(({ id }) => id));
    const answers = inOrder(questions, requests, responses).filter(({ question }) => stillAsked.has(question.id));
    if (answers.length === 0) return postCall.drop(callId);
    if (await postCall.finish(callId, answers, clock.wallMs())) onStored(callId);
  }

  /** null: the call or its agent was deleted. */
  async #askedCall(callId: string): Promise<(AskedCall & { readonly agentId: string }) | null> {
    const { agents, calls, journal } = this.#options.repositories;
    const call = await calls.find(callId);
    const agentId = call?.agentId ?? null;
    if (call === null || agentId === null) return null;
    const version = await agents.findVersion(agentId, call.agentVersion);
    if (version === null) return null;
    return {
      agentId,
      call,
      transcript: await journal.transcript(callId),
      llm: withOverrides(version.configuration, call.agentOverrides).llm,
    };
  }

  async #activeQuestions(agentId: string): Promise<readonly PostCallQuestion[]> {
    const questions = await this.#options.repositories.postCallQuestions.list(agentId);
    return questions.filter(({ isActive }) => isActive);
  }

  #askAll(requests: readonly QuestionRequest[]): Promise<CollectedResponse[]> {
    return Promise.all(requests.map(({ request }) => this.#ask(request)));
  }

  async #ask(request: QuestionRequest['request']): Promise<CollectedResponse> {
    const { clock, model } = this.#options;
    const adapter = model(request.provider === '' ? undefined : request.provider);
    if (adapter === null) return { type: 'failed', reason: 'the provider is not configured', canTryAgain: true };
    const response = await collectResponse(adapter, request, clock, this.#stopping.signal);
    // Models without strict schemas occasionally write no JSON.
    if (response.type === 'text' && parseJson(response.text) === undefined) {
      return { type: 'failed', reason: 'the response is not JSON', canTryAgain: true };
    }
    return response;
  }
}

/** The answers of all requests, in the order of the questions of the agent. */
function inOrder(
  questions: readonly PostCallQuestion[],
  requests: readonly QuestionRequest[],
  responses: readonly CollectedResponse[],
): readonly PostCallAnswer[] {
  const answers = new Map<string, PostCallAnswer>();
  for (const [index, request] of requests.entries()) {
    const response = responses[index];
    for (const parsed of parseAnswers(request.questions, response?.type === 'text' ? response.text : null)) {
      answers.set(parsed.question.id, parsed);
    }
  }
  return questions.flatMap(({ id }) => answers.get(id) ?? []);
}
