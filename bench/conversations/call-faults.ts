import type { ReportedCall } from '../rig/rig.ts';
import { EXTRACTED_VARIABLE, type Script, textOf } from '../rig/script.ts';

/** Differences between a finished call and its script; empty without any. */
export function callFaults(answer: ReportedCall, script: Script, call: number): readonly string[] {
  const faults: string[] = [];
  if (answer.status !== 'completed' || answer.end_reason !== 'agent_hangup') {
    faults.push(`ended as ${answer.status}, ${answer.end_reason}`);
  }
  const expected = [
    script.greeting,
    ...script.turns.flatMap(({ userText, transcriptTexts }) => [userText, ...transcriptTexts]),
  ];
  const spoken = (answer.transcript ?? []).filter(({ role }) => role === 'agent' || role === 'user');
  expected.forEach((phrase, at) => {
    const heard = spoken[at]?.content ?? 'nothing';
    if (heard !== textOf(phrase, call)) faults.push(`entry ${at + 1} is «${heard}», not «${textOf(phrase, call)}»`);
  });
  if (spoken.length > expected.length) faults.push(`${spoken.length} entries, not ${expected.length}`);
  const acts = (answer.transcript ?? []).map(({ role, name, to }) => `${role} ${name ?? to}`);
  for (const act of [
    'tool_call opening_hours',
    'tool_response opening_hours',
    'state_transition table',
    'tool_call end_call',
  ]) {
    const times = acts.filter((done) => done === act).length;
    if (times !== 1) faults.push(`${times} × ${act}`);
  }
  const values = new Map((answer.variable_values ?? []).map(({ name, value }) => [name, value]));
  if (values.get(EXTRACTED_VARIABLE) !== call)
    faults.push(`${EXTRACTED_VARIABLE} is ${values.get(EXTRACTED_VARIABLE)}`);
  if (values.get('hours') !== 'nine to five') faults.push(`hours is ${values.get('hours')}`);
  return faults;
}
