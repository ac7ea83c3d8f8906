import { type CallOptions, type CallReport, call } from '../../caller/caller.ts';
import { eventually } from './eventually.ts';
import type { TestService } from './test-service.ts';

export const FROM = '+33123456789';
export const TO = '+33987654321';

/** An agent that greets and then answers, with overrides. */
export function talker(more: object = {}): object {
  return {
    name: 'Talker',
    initial_message: 'Hello, this is a call that goes on for a while, so that there is something to hear.',
    initial_state_name: 'talk',
    states: [{ name: 'talk', prompt: 'Talk.' }],
    ...more,
  };
}

/** Statuses of an answered call. */
const ANSWERED_STATUSES = ['in_progress', 'completed'];

export interface StagedCall {
  readonly callId: string;
  /** The caller's report after the call. */
  readonly report: Promise<CallReport>;
  /** Resolves once the transcript contains this line with its end time. */
  said(content: string): Promise<void>;
  /** Sends the caller's BYE, unless the options define another end. Resolves with the report. */
  hangUp(): Promise<CallReport>;
}

interface DialOptions extends Partial<CallOptions> {
  /** The caller sends its first packet when this line was heard: on a busy machine a greeting comes late. */
  readonly speaksAfter?: string;
  /** Called with the id of the call, before the caller dials. */
  readonly onStaged?: (callId: string) => Promise<void>;
}

/** Stages a call, with further fields of the request, and dials in; resolves when the agent has answered. The caller stays until `hangUp`. */
export async function dialIn(
  { api, sipPort }: Pick<TestService, 'api' | 'sipPort'>,
  agentId: string,
  { speaksAfter, onStaged, ...options }: DialOptions = {},
  request: object = {},
): Promise<StagedCall> {
  const callId = await api.stage({ from_number: FROM, to_number: TO, agent_id: agentId, ...request });
  await onStaged?.(callId);
  const { promise: end, resolve: hangUp } = Promise.withResolvers<void>();
  const said = (content: string) =>
    eventually(async () => {
      const { transcript } = await api.call(callId);
      const line = transcript?.find((entry) => entry.content === content);
      if (typeof line?.end_time !== 'string')
        throw new Error(`the transcript does not contain «${content}»: ${JSON.stringify(transcript)}`);
    });
  const { promise: speaksAt, resolve: speak } = Promise.withResolvers<void>();
  const report = call({
    target: { host: '127.0.0.1', port: sipPort },
    to: TO,
    from: FROM,
    // Longer than a restart of the service. Reached only if the test does not end the call.
    durationMsMax: 90_000,
    hangUp: { at: end },
    ...(speaksAfter !== undefined && { speaksAt }),
    ...options,
    headers: { 'X-Service-Call-Id': callId, ...options.headers },
  });
  const answered = report.then(({ answeredMs, ladder }) => {
    if (answeredMs === null) throw new Error(`the call was not answered:\n${ladder.join('\n')}`);
    return api.callIn(callId, ANSWERED_STATUSES);
  });
  // A short call may have ended before the first poll.
  await Promise.race([api.callIn(callId, ANSWERED_STATUSES), answered]);
  answered.catch(() => {});
  if (speaksAfter !== undefined) {
    try {
      await said(speaksAfter);
    } catch (error) {
      hangUp();
      await report;
      throw error;
    }
    speak();
  }
  return {
    callId,
    report,
    said,
    hangUp: () => {
      hangUp();
      return report;
    },
  };
}
