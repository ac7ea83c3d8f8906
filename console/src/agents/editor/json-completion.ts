import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { parsedJson, SERVICE_FIELDS } from '../document/agent-document.ts';
import { type DocumentPath, valueAt } from '../document/document-edit.ts';
import { fieldsAt, type Suggestion, valuesAt } from './schema-completion.ts';

type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

/** Completes fields and values of an agent from the API's own description, which `load` reads once. */
export function agentCompletion(load: () => Promise<unknown>) {
  let loaded: Promise<unknown> | null = null;
  return async ({ state, pos }: CompletionContext): Promise<CompletionResult | null> => {
    const node = syntaxTree(state).resolveInner(pos, -1);
    const isField = node.name === 'PropertyName';
    if (!isField && node.name !== 'String') return null;
    loaded ??= load();
    const api = await loaded;
    const root = valueAt(api, ['components', 'schemas', 'CreateAgentRequest']);
    // Text being typed is often invalid JSON; then the fields of all alternatives are offered.
    const document = parsedJson(state.doc.toString());
    const place = pathOf(state, node);
    const found = isField ? fieldsAt(api, root, document, place.slice(0, -1)) : valuesAt(api, root, document, place);
    return {
      from: node.from,
      to: node.to,
      options: found.filter(({ label }) => !SERVICE_FIELDS.includes(label)).map(optionOf),
      filter: true,
    };
  };
}

function optionOf({ label, description }: Suggestion): Completion {
  return { label: `"${label}"`, displayLabel: label, info: description };
}

/** The path of a node of the syntax tree in the document. */
function pathOf(state: EditorState, from: SyntaxNode): DocumentPath {
  const path: (string | number)[] = [];
  for (let node: SyntaxNode | null = from; node !== null; node = node.parent) {
    const { parent } = node;
    if (node.name === 'Property') path.unshift(fieldName(state, node));
    if (parent?.name === 'Array') path.unshift(indexIn(parent, node));
  }
  return path;
}

function fieldName(state: EditorState, property: SyntaxNode): string {
  const name = property.getChild('PropertyName');
  const parsed = name === null ? '' : parsedJson(state.sliceDoc(name.from, name.to));
  return typeof parsed === 'string' ? parsed : '';
}

function indexIn(list: SyntaxNode, element: SyntaxNode): number {
  let index = 0;
  for (let node = list.firstChild; node !== null && node.from < element.from; node = node.nextSibling) {
    if (!['[', ']', ',', '⚠'].includes(node.name)) index++;
  }
  return index;
}
