import { z } from 'zod';

const envelope = z.looseObject({ status: z.number(), message: z.string(), data: z.unknown() });

/** Final statuses of a call. */
export const FINAL_STATUSES = ['completed', 'no_answer', 'busy', 'canceled', 'failed'];

export interface ApiAnswer {
  readonly status: number;
  readonly data: unknown;
  readonly body: unknown;
}

/** An API client written from the specification, not from the code. */
export class ApiClient {
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #agentDefaults: object;

  /** @param agentDefaults fields of each created agent */
  constructor(baseUrl: string, key: string, agentDefaults: object = {}) {
    this.#baseUrl = baseUrl;
    this.#key = key;
    this.#agentDefaults = agentDefaults;
  }

  async send(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: { 'x-api-key': this.#key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json: unknown = await response.json();
    return { status: response.status, data: envelope.parse(json).data, body: json };
  }

  /** Sends a request and returns its data. Rejects with the response unless it is a success. */
  async requestOk<Schema extends z.ZodType>(
    schema: Schema,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<z.output<Schema>> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return schema.parse(answer.data);
  }

  createAgent(agent: object): Promise<{ id: string }> {
    return this.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/agents', {
      ...this.#agentDefaults,
      ...agent,
    });
  }

  async stage(request: object): Promise<string> {
    const staged = await this.requestOk(
      z.object({ call_id: z.string() }),
      'POST',
      '/v1/calls/stage?sync=true',
      request,
    );
    return staged.call_id;
  }

  call(callId: string): Promise<z.output<typeof callSchema>> {
    return this.requestOk(callSchema, 'GET', `/v1/calls/${callId}`);
  }

  /**
   * Polls until the call has one of the statuses. Rejects if it ends with another status, or after `timeoutMs`.
   */
  async callIn(callId: string, statuses: readonly string[], timeoutMs = 40_000): Promise<z.output<typeof callSchema>> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const call = await this.call(callId);
      if (statuses.includes(call.status)) return call;
      if (Date.now() > deadline || FINAL_STATUSES.includes(call.status)) {
        throw new Error(`call ${callId} is ${call.status} (${call.end_reason}), not ${statuses.join(' or ')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

export const transcriptEntrySchema = z.looseObject({
  role: z.string(),
  content: z.string(),
  start_time: z.string(),
  sequence: z.number(),
});

export const callSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  end_reason: z.string().nullable(),
  start_time: z.string().nullable(),
  end_time: z.string().nullable(),
  recording_url: z.string().nullable(),
  transcript: z.array(transcriptEntrySchema).nullable(),
  variable_values: z.array(z.looseObject({ name: z.string(), value: z.unknown() })).nullable(),
  metrics: z.unknown(),
});
