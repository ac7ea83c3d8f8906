import { randomUUID } from 'node:crypto';
import { FairSlots } from '../../../base/limits/fair-slots.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { CallTracing } from '../../observability/opentelemetry/call-tracing.ts';
import { traceparent } from '../../observability/opentelemetry/trace-context.ts';
import type { GuardedHttp, GuardedResponse } from '../../outgoing-http/guarded-http.ts';
import { webhookHeaders } from '../../outgoing-http/webhook-signature.ts';
import type { CallRequest } from '../api-requests/call-service.ts';
import type { LookupQuestion } from './lookup-question.ts';

/** From the question to the checked answer, ms. The caller hears nothing until then. */
const LOOKUP_TIMEOUT_MS = 2_000;
/** Lookups at once on this node; an organization alone gets half of them. A slow webhook holds a slot for two seconds. */
const LOOKUPS_MAX = 128;
/** Bytes of an answer, as of a request to the API. */
const ANSWER_BYTES_MAX = 1_048_576;

/** The decision of the webhook about the call. */
export type LookupAnswer =
  | { readonly type: 'refused'; readonly sipStatus: number }
  | { readonly type: 'accepted'; readonly request: CallRequest };

/** `reason`: a text without the URL and without values of the answer, which may hold secrets. */
export type LookupOutcome = LookupAnswer | { readonly type: 'failed'; readonly reason: string };

export interface LookupWebhookOptions {
  readonly http: Pick<GuardedHttp, 'request'>;
  /** The secrets that sign the webhooks of an agent. */
  readonly signingSecrets: (agentId: string, nowMs: number) => Promise<readonly string[]>;
  /** Checks an answer as the API checks a request that starts a call. Rejects with the fault. */
  readonly readAnswer: (organizationId: string, ownAgentId: string, body: unknown) => Promise<LookupAnswer>;
  readonly clock: Pick<Clock, 'wallMs' | 'after'>;
  /** The traces of calls; null: off. */
  readonly tracing?: Pick<CallTracing, 'lookup'> | null;
}

/** Asks the webhook of a number what to do with a call. */
export class LookupWebhook {
  readonly #options: LookupWebhookOptions;
  readonly #slots = new FairSlots(LOOKUPS_MAX);

  constructor(options: LookupWebhookOptions) {
    this.#options = options;
  }

  /** Resolves within two seconds. Never rejects. `parent`: `traceparent` of the INVITE. */
  async ask(
    url: string,
    question: Omit<LookupQuestion, 'id' | 'type' | 'created_at'>,
    parent: string | null = null,
  ): Promise<LookupOutcome> {
    const release = this.#slots.take(question.organization_id);
    if (release === null) return failed('too many lookups of the organization are waiting for an answer');
    const asking = this.#exchange(url, question, parent)
      .catch((error: unknown) => failed(error instanceof Error ? error.message : String(error)))
      .finally(release);
    const { clock } = this.#options;
    return withTimeout(asking, LOOKUP_TIMEOUT_MS, () => failed(`no answer within ${LOOKUP_TIMEOUT_MS} ms`), clock);
  }

  async #exchange(
    url: string,
    asked: Omit<LookupQuestion, 'id' | 'type' | 'created_at'>,
    parent: string | null,
  ): Promise<LookupOutcome> {
    const { clock, http, readAnswer, signingSecrets, tracing } = this.#options;
    const nowMs = clock.wallMs();
    const secrets = await signingSecrets(asked.agent_id, nowMs);
    // The API sets no lookup webhook without a secret.
    if (secrets.length === 0) return failed('the inbound agent has no webhook secret');
    const id = `lookup_${randomUUID()}`;
    const created_at = new Date(nowMs).toISOString();
    const body = JSON.stringify({ id, type: 'inbound_call_lookup', created_at, ...asked } satisfies LookupQuestion);
    const span = tracing?.lookup({ id: asked.call_id, traceparent: parent }) ?? null;
    const ended = (httpStatus: number | null) => span?.end({ fromMs: nowMs, toMs: clock.wallMs(), httpStatus });
    const signed = webhookHeaders({ id, body }, secrets, nowMs);
    const sent = http.request({
      url,
      method: 'POST',
      headers: span === null ? signed : { ...signed, traceparent: traceparent(span.context) },
      body,
      timeoutMs: LOOKUP_TIMEOUT_MS,
      responseBytesMax: ANSWER_BYTES_MAX,
    });
    const response = await sent.catch((error: unknown) => {
      ended(null);
      throw error;
    });
    ended(response.status);
    const answer = documentOf(response);
    return 'fault' in answer
      ? failed(answer.fault)
      : readAnswer(asked.organization_id, asked.agent_id, answer.document);
  }
}

function documentOf({ body, cutOff, status }: GuardedResponse): { document: unknown } | { fault: string } {
  if (status < 200 || status > 299) return { fault: `the webhook answered with status ${status}` };
  if (cutOff) return { fault: `the answer is longer than ${ANSWER_BYTES_MAX} bytes` };
  // 204: the webhook leaves the call as it is.
  if (body.byteLength === 0) return { document: {} };
  try {
    return { document: JSON.parse(new TextDecoder().decode(body)) };
  } catch {
    return { fault: 'the answer is not JSON' };
  }
}

function failed(reason: string): LookupOutcome {
  return { type: 'failed', reason };
}
