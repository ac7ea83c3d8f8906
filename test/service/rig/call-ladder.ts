import { TEST_API_KEY } from './service-process.ts';
import type { TestService } from './test-service.ts';

/** Leg, whole message from the arrow on, its method or status. */
const STEP = /ms {2}(.+?) +((?:──>|<──) {2}\S+ \S+ {2}(\S+).*)/g;

/**
 * A call's SIP ladder; empty where none is kept. `legs`: of each by its name the methods and statuses, in order, but 100 and
 * what is repeated: over UDP a peer that stood still for half a second is sent a message again (RFC 3261 §17.1).
 */
export async function ladderOf(
  { service }: Pick<TestService, 'service'>,
  callId: string,
): Promise<{ readonly text: string; readonly legs: Readonly<Record<string, readonly string[]>> }> {
  const url = `${service.httpUrl}/v1/calls/${callId}/sip-ladder`;
  const answer = await fetch(url, { headers: { 'x-api-key': TEST_API_KEY } });
  const text = answer.status === 200 ? await answer.text() : '';
  const legs: Record<string, string[]> = {};
  const seen = new Set<string>();
  for (const [, leg = '', message = '', step = ''] of text.matchAll(STEP)) {
    const steps = legs[leg] ?? [];
    legs[leg] = steps;
    if (step !== '100' && !seen.has(`${leg} ${message}`)) steps.push(step);
    seen.add(`${leg} ${message}`);
  }
  return { text, legs };
}
