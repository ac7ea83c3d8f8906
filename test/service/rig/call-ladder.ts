import { TEST_API_KEY } from './service-process.ts';
import type { TestService } from './test-service.ts';

/** Groups: the leg, the message from its arrow on, and its method or status. */
const STEP = /ms {2}(.+?) +((?:──>|<──) {2}\S+ \S+ {2}(\S+).*)/g;

/**
 * A call's SIP ladder; empty if the service keeps none. `legs` lists the methods and statuses of each leg in order, without
 * 100 and without retransmissions (RFC 3261 §17.1).
 */
export async function ladderOf(
  { service }: Pick<TestService, 'service'>,
  callId: string,
): Promise<{ readonly text: string; readonly legs: Readonly<Record<string, readonly string[]>> }> {
  const url = `${service.httpUrl}/v1/calls/${callId}/sip-ladder`;
  const answer = await fetch(url, { headers: { 'x-api-key': TEST_API_KEY } });
  const text = answer.status === 200 ? await answer.text() : '';
  const legs: Record<string, string[]> = {};
  const seenMessages = new Set<string>();
  for (const [, leg = '', message = '', step = ''] of text.matchAll(STEP)) {
    const steps = legs[leg] ?? [];
    legs[leg] = steps;
    if (step !== '100' && !seenMessages.has(`${leg} ${message}`)) steps.push(step);
    seenMessages.add(`${leg} ${message}`);
  }
  return { text, legs };
}
