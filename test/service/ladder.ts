import { TEST_API_KEY } from './service-process.ts';
import type { TestService } from './test-service.ts';

/** A call's SIP ladder; empty where none is kept. `legs`: of each by its name the methods and statuses, in order, but 100. */
export async function ladderOf(
  { service }: Pick<TestService, 'service'>,
  callId: string,
): Promise<{ readonly text: string; readonly legs: Readonly<Record<string, readonly string[]>> }> {
  const url = `${service.httpUrl}/v1/calls/${callId}/sip-ladder`;
  const answer = await fetch(url, { headers: { 'x-api-key': TEST_API_KEY } });
  const text = answer.status === 200 ? await answer.text() : '';
  const legs: Record<string, string[]> = {};
  for (const [, leg = '', step = ''] of text.matchAll(/ms {2}(.+?) +(?:──>|<──) {2}\S+ \S+ {2}(\S+)/g)) {
    const steps = legs[leg] ?? [];
    legs[leg] = steps;
    if (step !== '100') steps.push(step);
  }
  return { text, legs };
}
