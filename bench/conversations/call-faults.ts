import type { ReportedCall } from '../rig/rig.ts';
import { EXTRACTED_VARIABLE, type Script, textOf } from '../rig/script.ts';

/** What of a finished call is not as the script has it; empty: all is right. */
export function callFaults(answer: ReportedCall, script: Script, call: number): readonly string[] {
  const wrong: string[] = [];
  if (answer.status !== 'completed' || answer.end_reason !== 'agent_hangup') {
    wrong.push(`ended as ${answer.status}, ${answer.end_reason}`);
  }
  const expected = [
    script.greeting,
    ...script.turns.flatMap(({ userText, transcriptTexts }) => [userText, ...transcriptTexts]),
  ];
  const spoken = (answer.transcript ?? []).filter(({ role }) => role === 'agent' || role === 'user');
  expected.forEach((phrase, at) => {
    const heard = spoken[at]?.content ?? 'nothing';
    if (heard !== textOf(phrase, call)) wrong.push(`line ${at + 1} is «${heard}», not «${textOf(phrase, call)}»`);
  });
  if (spoken.length > expected.length) wrong.push(`${spoken.length} lines, not ${expected.length}`);
  const acts = (answer.transcript ?? []).map(({ role, name, to }) => `${role} ${name ?? to}`);
  for (const act of [
    'tool_call opening_hours',
    'tool_response opening_hours',
    'state_transition table',
    'tool_call end_call',
  ]) {
    const times = acts.filter((done) => done === act).length;
    if (times !== 1) wrong.push(`${times} × ${act}`);
  }
  const values = new Map((answer.variable_values ?? []).map(({ name, value }) => [name, value]));
  if (values.get(EXTRACTED_VARIABLE) !== call) wrong.push(`${EXTRACTED_VARIABLE} is ${values.get(EXTRACTED_VARIABLE)}`);
  if (values.get('hours') !== 'nine to five') wrong.push(`hours is ${values.get('hours')}`);
  return wrong;
}
