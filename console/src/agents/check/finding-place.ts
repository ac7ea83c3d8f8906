import type { Messages } from '../../i18n/en.ts';
import { textAt } from '../document/document-edit.ts';
import { fieldPath } from '../document/field-path.ts';

/** The place of a finding in words: «State “booking”, tool “availability”, URL». Empty: the whole document. */
export function findingPlace(document: unknown, field: string, { agents }: Messages): string {
  const path = fieldPath(field);
  const parts: string[] = [];
  for (let at = 0; at < path.length; at++) {
    const step = path[at];
    const index = path[at + 1];
    const list = listNames(agents)[String(step)];
    if (list !== undefined && typeof index === 'number') {
      const name = textAt(document, [...path.slice(0, at + 2), 'name']);
      parts.push(list(name === '' ? String(index + 1) : name));
      at++;
    } else
      parts.push(typeof step === 'number' ? String(step + 1) : fieldName(agents, String(step), path.includes('tools')));
  }
  return parts.join(', ');
}

function listNames(agents: Messages['agents']): Readonly<Record<string, ((name: string) => string) | undefined>> {
  return agents.findings.places;
}

/** The name that the forms give a field; otherwise that of the document. */
function fieldName({ edit }: Messages['agents'], field: string, isOfTool: boolean): string {
  const { condition, destination, general, isFirst, method, parameters, prompt, toolFields, contentType } = edit;
  const names: Readonly<Record<string, string>> = {
    ...general,
    ...toolFields,
    prompt,
    condition,
    destination_state_name: destination,
    initial_state_name: isFirst,
    method,
    content_type: contentType,
    type: parameters.type,
    parameters: parameters.title,
    tools: edit.tools,
    transitions: edit.transitions,
    description: isOfTool ? toolFields.description : parameters.description,
  };
  return Object.hasOwn(names, field) ? (names[field] ?? field) : field;
}
