import { type CallOptions, type CallReport, call } from '../caller/caller.ts';
import type { TestService } from './test-service.ts';

export const FROM = '+33123456789';
export const TO = '+33987654321';

/** An agent that greets and then answers; what is not given is the simplest that talks. */
export function talker(more: object = {}): object {
  return {
    name: 'Talker',
    initial_message: 'Hello, this is a call that goes on for a while, so that there is something to hear.',
    initial_state_name: 'talk',
    states: [{ name: 'talk', prompt: 'Talk.' }],
    ...more,
  };
}

export interface StagedCall {
  readonly callId: string;
  /** The caller's own view, once its call has ended. */
  readonly report: Promise<CallReport>;
}

/** Stages a call and dials in with our own caller; resolves once the agent has answered. */
export async function dialIn(
  { api, sipPort }: Pick<TestService, 'api' | 'sipPort'>,
  agentId: string,
  options: Partial<CallOptions> = {},
): Promise<StagedCall> {
  const callId = await api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
  const report = call({
    target: { host: '127.0.0.1', port: sipPort },
    to: TO,
    from: FROM,
    headers: { 'X-Service-Call-Id': callId },
    maxDurationMs: 30_000,
    ...options,
  });
  const refused = report.then(({ ladder }) => {
    throw new Error(`the call was not answered:\n${ladder.join('\n')}`);
  });
  await Promise.race([api.callIn(callId, ['in_progress']), refused]);
  refused.catch(() => {});
  return { callId, report };
}
